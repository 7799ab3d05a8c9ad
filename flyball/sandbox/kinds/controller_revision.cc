#include "flyball/api/apps/v1.h"
#include "flyball/sandbox/kinds/behaviour_for.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"

namespace flyball::sandbox {
namespace {

using apps::v1::ControllerRevision;

class ControllerRevisionKind final : public BehaviourFor<ControllerRevision> {
  FieldErrors CheckNew(const ControllerRevision& revision, const Write&) const override {
    FieldErrors errors;
    CheckNotNegative(revision.revision, "revision", errors);
    if (revision.data.raw.empty()) {
      errors.push_back(FieldError::Required("data", "data is mandatory"));
    }
    return errors;
  }

  FieldErrors CheckChange(const ControllerRevision& now, const ControllerRevision& before,
                          const Write&) const override {
    if (now.data == before.data) return {};
    return {FieldError{FieldError::Kind::kInvalid, "data", now.data.raw, "field is immutable"}};
  }
};

}  // namespace

const Behaviour& ControllerRevisionBehaviour() {
  static const ControllerRevisionKind kBehaviour;
  return kBehaviour;
}

}  // namespace flyball::sandbox
