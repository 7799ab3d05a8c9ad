#pragma once

#include <string>
#include <vector>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/manifest.h"

namespace flyball::ctl {

/// How a command is told which objects it is about.
struct Selection {
  std::vector<std::string> words = {};  ///< `deploy/web`, `pods web-0 web-1`, `pods`
  Files files = {};
  std::string selector = {};
  std::string field_selector = {};
  bool all_namespaces = false;

  bool empty() const { return words.empty() && files.empty(); }
  /// Whether objects are chosen by what they are like, and not by name.
  bool HasSelector() const { return !selector.empty() || !field_selector.empty(); }
};

struct Selected {
  const client::ServedResource* resource = nullptr;
  ObjectKey key = {};
  std::string source = {};  ///< the file that names it
};

/// What a type without a name means to a command.
enum class BareType : bool { kEverything, kMistake };

/// The objects that are meant: those that are named, be they there or not, and those that the
/// server lists. What could not be looked up is among the errors.
Result<std::vector<Selected>> Select(Cluster& cluster, const Selection& selection,
                                     BareType bare_type, Errors& errors);

}  // namespace flyball::ctl
