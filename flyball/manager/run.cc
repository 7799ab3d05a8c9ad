#include "flyball/manager/run.h"

namespace flyball::manager {

Result<> Run(const Options& /*options*/, const flags::FlagSet& /*flags*/, const Logger& /*log*/) {
  return Fail(ErrorCode::kUnsupported,
              "the command line is right, but this build has nothing behind it yet: no controller "
              "is started and no port is served");
}

}  // namespace flyball::manager
