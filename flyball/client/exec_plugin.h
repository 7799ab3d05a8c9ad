#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "flyball/api/json.h"
#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/access_config.h"
#include "flyball/client/credential_metrics.h"
#include "flyball/client/issued_credential.h"

namespace flyball::client {

/// A command that prints credentials: the protocol of client.authentication.k8s.io, v1 and v1beta1.
/// Keeps nothing of what it gets; that is for Credentials to do.
///
/// Any thread may call it.
class ExecPlugin {
 public:
  struct Options {
    /// Upstream waits for ever. A person at the terminal gets ten times as long.
    std::chrono::nanoseconds timeout = std::chrono::minutes(1);
    std::size_t max_output = 1U << 20;
    /// Whether there is a person to ask.
    std::function<bool()> has_terminal = StandardInputIsTerminal;
  };
  struct Deps {
    const Clock& clock;
    Logger log = {};
    CredentialMetrics metrics = {};
  };

  /// `access` has the plugin's command and what the plugin may be told of the cluster.
  static Result<ExecPlugin> Create(const AccessConfig& access, Deps deps, Options options);
  static Result<ExecPlugin> Create(const AccessConfig& access, Deps deps) {
    return Create(access, std::move(deps), Options());
  }

  /// Runs the command. Blocks until it ends; hold no lock.
  Result<IssuedCredential> Run() const;

  static bool StandardInputIsTerminal();

 private:
  ExecPlugin(ExecConfig config, api::Json cluster, Deps deps, Options options)
      : config_(std::move(config)),
        cluster_(std::move(cluster)),
        deps_(std::move(deps)),
        options_(std::move(options)) {}

  Result<bool> Interactive() const;
  std::string RequestText(bool interactive) const;
  Result<IssuedCredential> ReadAnswer(std::string_view text) const;
  /// Without what is secret in the answer, which is `output` if it could not be read.
  void LogComplaints(std::string_view complaints, std::string_view output,
                     const Result<IssuedCredential>& credential) const;

  // Constant after construction.
  ExecConfig config_;
  api::Json cluster_;  ///< null: the plugin is told nothing
  Deps deps_;
  Options options_;
};

}  // namespace flyball::client
