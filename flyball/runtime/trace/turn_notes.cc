#include "flyball/runtime/trace/turn_notes.h"

#include <utility>

namespace flyball::runtime {

void TurnNotes::Wrote(TracedWrite::Verb verb, const client::Resource& resource,
                      std::string_view name, std::string_view subresource, const Error* error) {
  TracedWrite write{.verb = verb,
                    .resource = resource.QualifiedName(),
                    .subresource = std::string(subresource),
                    .name = std::string(name)};
  if (error != nullptr) {
    write.refused = error->code();
    write.error = error->message();
  }
  if (!writes_.empty()) {
    TracedWrite& last = writes_.back();
    const bool alike = last.verb == write.verb && last.resource == write.resource &&
                       last.subresource == write.subresource && last.refused == write.refused &&
                       last.error == write.error;
    if (alike) {
      ++last.times;
      return;
    }
  }
  writes_.push_back(std::move(write));
}

void TurnNotes::MoveTo(Turn& turn) {
  turn.decided = std::exchange(decided_, {});
  turn.writes = std::exchange(writes_, {});
}

}  // namespace flyball::runtime
