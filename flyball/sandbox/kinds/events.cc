#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/behaviour_for.h"
#include "flyball/sandbox/kinds/kinds.h"

namespace flyball::sandbox {
namespace {

using apps::v1::ControllerRevision;
using core::v1::Event;

/// An event is where what it is about is; what is in no namespace is told of in the default one.
class EventKind final : public BehaviourFor<Event> {
  FieldErrors CheckNew(const Event& event, const Write&) const override {
    const std::string& about = event.involvedObject.namespace_;
    const std::string& own = event.metadata.namespace_;
    const bool fits = about.empty() ? own == "default" || own == "kube-system" : about == own;
    if (fits) return {};
    return {
        FieldError::Invalid("involvedObject.namespace", about, "does not match event.namespace")};
  }
};

class ControllerRevisionKind final : public BehaviourFor<ControllerRevision> {
  FieldErrors CheckChange(const ControllerRevision& now, const ControllerRevision& before,
                          const Write&) const override {
    if (now.data == before.data) return {};
    return {FieldError{FieldError::Kind::kInvalid, "data", now.data.raw, "field is immutable"}};
  }
};

}  // namespace

const Behaviour& EventBehaviour() {
  static const EventKind kBehaviour;
  return kBehaviour;
}

const Behaviour& ControllerRevisionBehaviour() {
  static const ControllerRevisionKind kBehaviour;
  return kBehaviour;
}

}  // namespace flyball::sandbox
