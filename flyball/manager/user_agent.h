#pragma once

#include <string>

namespace flyball::manager {

/// "kube-controller-manager/v1.37.1 (linux/amd64) flyball/<name>": up to the first slash it is
/// upstream's, since the server notes that part as whose the fields are that we write.
std::string UserAgent(const std::string& name);

}  // namespace flyball::manager
