#include "flyball/sandbox/behaviour.h"

namespace flyball::sandbox {

const Behaviour& BehaviourOf(const Kind& /*kind*/) {
  static const Behaviour kNone;
  return kNone;
}

}  // namespace flyball::sandbox
