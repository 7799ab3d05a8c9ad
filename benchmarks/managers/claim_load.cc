#include "benchmarks/managers/claim_fleet.h"
#include "benchmarks/managers/loads.h"

namespace flyball::bench {

Result<> RunClaims(Stage& stage, const Size& size) {
  FLYBALL_TRY(stage.StartManager());
  std::vector<std::string> spaces;
  for (int i = 0; i < size.count; ++i) {
    FLYBALL_TRY(std::string space, stage.NewSpace());
    spaces.push_back(std::move(space));
  }
  const ClaimFleet claims(stage, std::move(spaces), size.each);
  FLYBALL_TRY(claims.CreateClass());

  stage.Begin();
  FLYBALL_TRY(claims.Create());
  FLYBALL_TRY(claims.AwaitBound());
  stage.Note("bind all");

  FLYBALL_TRY(stage.StopManager());
  FLYBALL_TRY(stage.StartManager());
  stage.Note("start, all there");

  stage.Begin();
  FLYBALL_TRY(claims.Delete());
  FLYBALL_TRY(claims.AwaitGone());
  stage.Note("delete all, and their volumes");
  return stage.StopManager();
}

}  // namespace flyball::bench
