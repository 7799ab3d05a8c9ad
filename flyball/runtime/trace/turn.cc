#include "flyball/runtime/trace/turn.h"

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

std::string_view ToString(Turn::End end) {
  switch (end) {
    case Turn::End::kDone:
      return "done";
    case Turn::End::kAgain:
      return "again";
    case Turn::End::kLater:
      return "later";
    case Turn::End::kFailed:
      return "failed";
    case Turn::End::kGivenUp:
      return "given up";
  }
  return "";
}

}  // namespace flyball::runtime
