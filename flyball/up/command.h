#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::up {

/// What can be said to `flyball up`.
struct Options {
  int nodes = 3;
  bool api_only = false;
  bool no_nodes = false;
  std::uint16_t port = 0;
  std::string data_dir = {};
  std::string kubeconfig = "flyball.kubeconfig";
  std::vector<std::string> controllers = {"*"};  ///< as the manager's flag
  std::vector<std::string> apply = {};           ///< files and folders
  std::chrono::nanoseconds pod_startup = std::chrono::seconds(1);
  std::string tour = {};  ///< the application to show it with; empty: none
  bool once = false;      ///< ends with the tour, or when all that was applied is rolled out
  bool plain = false;     ///< lines, though there is a screen
};

/// `flyball up`: runs a cluster in this process and shows it, until it is asked to end.
Result<> Run(const Options& options, std::ostream& out);

}  // namespace flyball::up
