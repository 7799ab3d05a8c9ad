#pragma once

#include <functional>

#include "flyball/operator/manager.h"

namespace flyball {

/// The whole main() of an operator:
///
///   int main(int argc, char** argv) {
///     return flyball::RunOperator(argc, argv, {.name = "website-operator"}, AddWebsiteController);
///   }
///
/// Reads the flags that operators have in common (--help lists them), has `describe` add what the
/// operator consists of, and runs it until SIGTERM. Does not return where the process has to end
/// without waiting for its threads.
int RunOperator(int argc, char** argv, ManagerOptions options,
                const std::function<void(Manager& manager)>& describe);

}  // namespace flyball
