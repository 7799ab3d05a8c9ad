#pragma once

#include <string>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"
#include "tests/parity/world.h"

namespace flyball::parity {

/// Whether a tree has all that another says: each member, an element of a list that is like each
/// of the other's, a text of its pattern (`*` stands for anything). Null: there is no such member.
bool IsLike(const api::Json* tree, const api::Json& pattern);

/// What a scenario waits for.
///
///   secrets/token: {data: {token: "*"}}     # it is there, and has that
///   pods/web: there                         # whatever it has
///   namespaces/$(ns): gone
///   pods: 3                                 # so many
///   pods: {like: {status: {phase: Running}}, count: 2}   # without a count: at least one
class Expectations {
 public:
  /// What is in no namespace, or in one that is not named, is in `space`.
  static Result<Expectations> Parse(const api::Json& tree);

  /// Those that do not hold, for people, with what there is instead.
  std::vector<std::string> Unmet(const World& world, const std::string& space) const;

 private:
  static bool Holds(const Reference& reference, const api::Json& expected, const World& world,
                    const std::string& space);

  std::vector<std::pair<Reference, api::Json>> all_;
};

/// The objects of a scenario that a reference means. One without a namespace means the scenario's
/// first, or none.
std::vector<WorldObject> Referred(const World& world, const Reference& reference,
                                  const std::string& space);

}  // namespace flyball::parity
