#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::parity {

/// What marks all that is a scenario's: its namespaces, with what is in them, and those of its
/// objects that are in none.
inline constexpr std::string_view kScenarioLabel = "parity.flyball.dev/scenario";

/// Which object, as scenarios write it: "secrets/token", "deployments.apps/web in other". Without
/// a name it is all of them: "pods".
struct Reference {
  std::string group;
  std::string plural;
  api::ObjectKey key;

  static Result<Reference> Parse(const std::string& text);
  std::string ToString() const;
  friend auto operator<=>(const Reference&, const Reference&) = default;
};

/// An object as the server has it.
struct WorldObject {
  Reference reference;
  std::shared_ptr<const api::Json> tree;
};

/// What there is of a scenario at a time.
struct World {
  std::vector<WorldObject> present = {};  ///< in order of their references
  std::vector<WorldObject> past = {};     ///< deleted ones, as they were last
  SteadyTime changed = {};                ///< when something last did
};

/// The text at "metadata.uid"; empty if there is none.
std::string TextAtPath(const api::Json& tree, std::string_view path);

}  // namespace flyball::parity
