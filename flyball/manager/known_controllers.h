#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/manager/gates/feature_gates.h"

namespace flyball::manager {

/// A controller of upstream's, whether or not there is one of ours.
struct KnownController {
  std::string_view name;
  std::string_view alias;  ///< its name in releases past; empty: it had no other
  bool on_by_default = true;
  /// All of which have to be on.
  std::string_view first_gate = {};
  std::string_view second_gate = {};
};

/// Makes tokens for others: it runs first, whatever is asked for, and in no other manager.
inline constexpr std::string_view kTokenController = "serviceaccount-token-controller";

/// All there are, in the order in which they start.
std::span<const KnownController> KnownControllers();

/// The name that a controller has now; what is no alias is itself.
std::string_view CanonicalName(std::string_view name);

/// --controllers: "*" is all that are on by default, "name" adds one, "-name" takes one away. Where
/// a name is in the list twice, the first counts.
class ControllerSelection {
 public:
  explicit ControllerSelection(const std::vector<std::string>& flag);

  /// Whether the list asks for it.
  bool Wanted(const KnownController& controller) const;
  /// Whether it is to run: gates that are off outdo the list.
  bool Enabled(const KnownController& controller, const FeatureGates& gates) const;
  /// The list with today's names.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Names in the list that nobody has, as they stand there without the minus.
std::vector<std::string> UnknownControllers(const std::vector<std::string>& flag);

}  // namespace flyball::manager
