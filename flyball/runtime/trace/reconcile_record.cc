#include "flyball/runtime/trace/reconcile_record.h"

namespace flyball::runtime {

std::string_view ToString(TracedWrite::Verb verb) {
  switch (verb) {
    case TracedWrite::Verb::kCreate:
      return "create";
    case TracedWrite::Verb::kUpdate:
      return "update";
    case TracedWrite::Verb::kPatch:
      return "patch";
    case TracedWrite::Verb::kDelete:
      return "delete";
  }
  return "";
}

std::string_view ToString(ReconcileRecord::End end) {
  switch (end) {
    case ReconcileRecord::End::kDone:
      return "done";
    case ReconcileRecord::End::kRequeueAfter:
      return "again";
    case ReconcileRecord::End::kRequeueWithBackoff:
      return "later";
    case ReconcileRecord::End::kFailed:
      return "failed";
    case ReconcileRecord::End::kGivenUp:
      return "given up";
  }
  return "";
}

}  // namespace flyball::runtime
