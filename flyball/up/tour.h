#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"

namespace flyball::up {

/// Shows a person what controllers do: an application is rolled out, loses pods and a node and gets
/// others, and is rolled to a new version. Each step ends when the cluster is where it should be.
class Tour {
 public:
  struct Deps {
    Clock& clock;
    const client::Client& client;
    /// Told what is going on, a sentence each time.
    std::function<void(const std::string& sentence)> say;
  };
  struct Options {
    std::filesystem::path application;  ///< a manifest, or a folder of them
    bool lose_a_node = false;  ///< where somebody notices, and the pods find room elsewhere
    std::chrono::nanoseconds pause = std::chrono::seconds(2);     ///< to look at what has become
    std::chrono::nanoseconds patience = std::chrono::minutes(2);  ///< for a step
  };

  Tour(Deps deps, Options options) : deps_(std::move(deps)), options_(std::move(options)) {}

  /// All of it, unless it is asked to stop.
  Result<> Run(const std::stop_token& stop);

 private:
  Result<> RollOut();
  Result<> LoseAPod();
  Result<> LoseAPodWithAName();
  Result<> LosePodOf(std::string_view kind, const std::string& what_follows);
  Result<> LoseANode();
  Result<> RollToANewVersion();
  /// Whether nothing is heard of a simulated node.
  Result<> SetSilent(const std::string& node, bool silent);
  /// Until all that is rolled out is as it is meant to be.
  Result<> AwaitRollouts(const std::string& step);
  Result<> Await(const std::string& step, const std::function<Result<bool>()>& is_reached);
  void Say(const std::string& sentence) const { deps_.say(sentence); }

  const Deps deps_;
  const Options options_;
  std::stop_token stop_;
};

}  // namespace flyball::up
