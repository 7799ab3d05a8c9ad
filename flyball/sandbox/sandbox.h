#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/timers.h"
#include "flyball/client/client.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/sandbox/kubeconfig_access.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/network.h"
#include "flyball/transport/transport.h"

namespace flyball::sandbox {

/// Somebody who talks to a server over a transport, be it the server itself or what is in front.
class Session {
 public:
  /// The transport must outlive it.
  Session(transport::Transport& transport, Clock& clock)
      : transport_(transport), rest_({.transport = transport, .clock = clock}, {}) {}
  Session(std::unique_ptr<transport::Transport> transport, Clock& clock)
      : own_transport_(std::move(transport)),
        transport_(*own_transport_),
        rest_({.transport = transport_, .clock = clock}, {}) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  transport::Transport& transport() { return transport_; }
  client::RestClient& rest() { return rest_; }
  const client::Client& client() const { return client_; }

 private:
  const std::unique_ptr<transport::Transport> own_transport_;
  transport::Transport& transport_;
  client::RestClient rest_;
  const client::Client client_{rest_};
};

/// A Kubernetes API server and all that it needs, in a line:
///
///   Sandbox sandbox;
///   sandbox.client().Of<core::v1::ConfigMap>().Create(map);
///
/// There is no socket between, until Listen() puts the same server on one. In a test of a system
/// of tasks it takes part in the run, with a seed:
///
///   DeterministicExecutor executor(seed);
///   Timers timers(executor);
///   Sandbox sandbox({executor, timers}, {.seed = seed});
///
/// Any thread may use what it hands out. It is destroyed by one, outside of its executor's tasks,
/// when nobody uses it any more; a deterministic run must be over by then, or abandoned.
class Sandbox {
 public:
  struct Deps {
    Executor& executor;
    Timers& timers;
    Logger log = {};
  };
  struct Options {
    /// Where objects are kept, and what proves the server and its administrator; empty: in memory.
    std::filesystem::path folder = {};
    /// For names and uids: same seed, same names. None: they cannot be foreseen.
    std::optional<std::uint64_t> seed = {};
    /// Who may come in over a socket with what token, besides the administrator.
    std::vector<ApiServer::Account> accounts = {};
    std::size_t changes_kept = 10'000;
    ServiceRanges::Options services = {};
    /// See ApiServer::Options.
    std::function<std::optional<Answer>(const Request& request)> more_paths = {};
  };

  /// On the machine's clock and threads of its own, in memory.
  Sandbox();
  /// In memory, where nothing can fail: there is no folder in the options.
  explicit Sandbox(Deps deps) : Sandbox(std::move(deps), Options()) {}
  Sandbox(Deps deps, Options options);

  /// Fails where the folder cannot be used; see Storage::Open().
  static Result<std::unique_ptr<Sandbox>> Create(Deps deps, Options options);
  static Result<std::unique_ptr<Sandbox>> Create(Options options);

  /// Ends watches and connections.
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// The administrator's, who may do everything.
  const client::Client& client() const { return admin_->client(); }
  transport::Transport& transport() { return admin_->transport(); }
  /// The server as somebody else sees it.
  std::unique_ptr<Session> As(User user);

  ApiServer& server() { return *server_; }
  Executor& executor() { return deps_.executor; }
  Timers& timers() { return deps_.timers; }
  Clock& clock() { return deps_.executor.clock(); }

  /// Puts the server on a socket, until it ends or this is called again. Where the options have no
  /// certificate it gets one of an authority that is made then, and kept if there is a folder;
  /// clients may show one of that authority too. Fails if the port is taken. Not for deterministic
  /// executors, which know no sockets. A network, if one is given, must outlive the sandbox.
  Result<Access> Listen(serving::HttpServer::Options options = {},
                        transport::Network* network = nullptr);
  /// Answers that are under way get some time.
  void StopListening(std::chrono::nanoseconds grace = {});

 private:
  /// What a sandbox has where it is given nothing.
  struct Machine;

  /// Without a server yet.
  Sandbox(std::unique_ptr<Machine> machine, Deps deps);
  Result<> Open(Options options);
  Result<serving::TlsOptions> MakeTls(const std::string& address) const;

  // Constant once it is open.
  const std::unique_ptr<Machine> machine_;  // null: all was given
  const Deps deps_;
  std::filesystem::path folder_;
  std::string admin_token_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Session> admin_;

  // Of who calls Listen().
  std::unique_ptr<transport::Network> network_;
  std::unique_ptr<serving::HttpServer> http_;
};

}  // namespace flyball::sandbox
