#include "flyball/runtime/trace/reconcile_notes.h"

#include <utility>

namespace flyball::runtime {
namespace {

/// More than a history has room for. A refused write tells more than a stored one, and has room
/// when those have none left.
constexpr std::size_t kMostStored = 24;
constexpr std::size_t kMostWrites = 32;

}  // namespace

void ReconcileNotes::Wrote(TracedWrite::Verb verb, const client::Resource& resource,
                           std::string_view name, std::string_view subresource,
                           const Error* error) {
  const bool has_room = writes_.size() < (error == nullptr ? kMostStored : kMostWrites);
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
  if (has_room) {
    writes_.push_back(std::move(write));
  } else {
    ++left_out_;
  }
}

void ReconcileNotes::MoveTo(ReconcileRecord& record) {
  record.decided = std::exchange(decided_, {});
  record.writes = std::exchange(writes_, {});
  record.writes_left_out = std::exchange(left_out_, 0);
}

}  // namespace flyball::runtime
