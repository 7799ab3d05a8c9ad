#include "flyball/controllers/common/namespace_terminating.h"

#include <algorithm>

namespace flyball::controllers::common {

bool IsNamespaceTerminating(const Error& error) {
  return std::ranges::any_of(error.detail().causes, [](const ErrorCause& cause) {
    return cause.reason == "NamespaceTerminating";
  });
}

}  // namespace flyball::controllers::common
