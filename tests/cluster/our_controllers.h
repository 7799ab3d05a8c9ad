#pragma once

#include <string>

#include "flyball/controllers/registry.h"

namespace flyball::cluster {

/// Has a manager, ours or upstream's, run the controllers that we have.
inline std::string ControllersFlag() {
  std::string flag = "--controllers=";
  for (const controllers::Entry& entry : controllers::All()) {
    flag.append(flag.ends_with('=') ? "" : ",").append(entry.name);
  }
  return flag;
}

}  // namespace flyball::cluster
