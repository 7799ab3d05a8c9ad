#include "flyball/operator/controller_builder.h"

namespace flyball {

Result<Outcome> WithoutConflict(Result<Outcome> outcome) {
  if (!outcome && outcome.error().code() == ErrorCode::kConflict)
    return Outcome::RequeueWithBackoff();
  return outcome;
}

void ReportDecodeError(runtime::Context& runtime_context, const core::v1::ObjectReference& about,
                       std::string_view decode_error) {
  const std::string message =
      "This object does not fit what the controller was made for, and is "
      "left alone until it changes: " +
      std::string(decode_error);
  runtime_context.events().Event(about, EventType::kWarning, "DoesNotFit", message);
  runtime_context.log().Error("Failed to decode object, skipping until it changes",
                              {{"kind", about.kind},
                               {"object", api::KRef(about.namespace_, about.name)},
                               {"reason", decode_error}});
}

}  // namespace flyball
