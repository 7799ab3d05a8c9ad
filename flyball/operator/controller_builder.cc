#include "flyball/operator/controller_builder.h"

namespace flyball {

Result<Outcome> WithoutConflict(Result<Outcome> outcome) {
  if (!outcome && outcome.error().code() == ErrorCode::kConflict) return Outcome::Later();
  return outcome;
}

void ReportMisfit(runtime::Context& context, const core::v1::ObjectReference& about,
                  std::string_view misfit) {
  const std::string message =
      "This object does not fit what the controller was made for, and is "
      "left alone until it changes: " +
      std::string(misfit);
  context.events().Event(about, EventType::kWarning, "DoesNotFit", message);
  context.log().Error("An object does not fit its type, and is left alone until it changes",
                      {{"kind", about.kind},
                       {"object", api::ObjectKey{about.namespace_, about.name}.ToString()},
                       {"why", misfit}});
}

}  // namespace flyball
