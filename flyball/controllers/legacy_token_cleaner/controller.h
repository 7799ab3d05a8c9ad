#pragma once

#include <chrono>
#include <memory>

#include "flyball/runtime/controller.h"

/// Gets rid of service account tokens that older releases made by themselves and that nobody has
/// used for long: once a day they are looked at, marked as invalid, and after as long again
/// deleted. Reads service accounts, pods and the secrets that hold tokens; patches and deletes
/// those.
namespace flyball::controllers::legacy_token_cleaner {

struct Options {
  /// --legacy-service-account-token-clean-up-period
  std::chrono::nanoseconds clean_up_period = std::chrono::days(365);
};

/// An error if the period is none.
Result<std::unique_ptr<runtime::Controller>> Make(const runtime::Controller::Deps& deps,
                                                  Options options);

}  // namespace flyball::controllers::legacy_token_cleaner
