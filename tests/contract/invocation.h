#pragma once

#include <map>
#include <string>
#include <vector>

namespace flyball::contract {

/// What our kube-controller-manager made of a command line, up to where it would have run.
struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
  std::string log;
};
Outcome Invoke(const std::vector<std::string>& arguments);

/// A flag as --help shows it.
struct ShownFlag {
  std::string section = {};
  std::string type = {};
  std::string default_value = {};  ///< empty: none is shown
  friend bool operator==(const ShownFlag&, const ShownFlag&) = default;
};

/// The flags of a --help that has a line a flag, by name.
std::map<std::string, ShownFlag> ParseHelp(const std::string& help);

}  // namespace flyball::contract
