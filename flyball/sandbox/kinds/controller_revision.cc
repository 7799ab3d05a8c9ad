#include "flyball/api/apps/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using apps::v1::ControllerRevision;

class ControllerRevisionKind final : public StrategyFor<ControllerRevision> {
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

const RestStrategy& ControllerRevisionRestStrategy() {
  static const ControllerRevisionKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
