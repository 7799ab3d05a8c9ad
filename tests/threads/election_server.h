#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/base/check.h"
#include "flyball/base/executor.h"
#include "flyball/base/termination_signals.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "tests/threads/blocker.h"

namespace flyball::threads {

/// Twenty seconds at the times that upstream has for leases, which renews every two.
inline constexpr int kRenewalsOfTwentySeconds = 10;

/// An API server on a socket, which counts the renewals of leases, and a process that stands for
/// election there, on threads of this one. To be made before there are other threads.
class ElectionServer {
 public:
  ElectionServer() {
    faults_.On(sandbox::Requests::Updates().Of("leases")).Interrupt([this](const auto&) {
      const MutexLock lock(mutex_);
      ++renewals_;
      changed_.NotifyAll();
    });
  }
  ~ElectionServer() { Stop(); }

  std::string url() const { return http_->url(); }
  Clock& clock() { return clock_; }
  sandbox::Faults& faults() { return faults_; }
  const client::Client& client() const { return sandbox_.client(); }

  /// Has the process run, until SIGTERM, with which Stop() ends it.
  void Start(std::function<void()> run) {
    {
      const MutexLock lock(mutex_);
      runs_ = true;
    }
    executor_.Start("process", [this, run = std::move(run)] {
      run();
      const MutexLock lock(mutex_);
      runs_ = false;
      changed_.NotifyAll();
    });
  }
  void Stop() {
    MutexLock lock(mutex_);
    if (!runs_) return;
    FLYBALL_CHECK(kill(getpid(), SIGTERM) == 0, "cannot send a signal");
    clock_.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return !runs_; });
  }

  /// Whether a lease is renewed so many times from now on. A renewal begins when the one before it
  /// has been answered.
  bool AwaitRenewals(int more) {
    MutexLock lock(mutex_);
    const int wanted = renewals_ + more;
    return clock_.WaitUntil(lock, changed_, clock_.DeadlineAfter(kPatience),
                            [&]() FLYBALL_REQUIRES(mutex_) { return renewals_ >= wanted; });
  }

  /// What somebody else answers.
  Result<transport::Response> Get(const std::string& url, const std::string& path) {
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(url);
    options.tls = [] { return transport::TlsOptions{.skip_server_check = true}; };
    transport::HttpTransport transport(client_network_, options);
    return transport::Fetch(transport, clock_,
                            {.method = "GET", .target = path, .timeout = kPatience});
  }

 private:
  const TerminationSignals held_back_;  // before there are threads
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {}};
  // Whoever asks: credentials are not sent to a server without TLS.
  const std::unique_ptr<transport::Transport> for_process_ =
      sandbox_.server().As({.name = "process", .groups = {"system:masters"}});
  sandbox::Faults faults_{*for_process_, executor_};
  transport::Network server_network_{executor_};
  transport::Network client_network_{executor_};
  std::unique_ptr<serving::HttpServer> http_ =
      *serving::HttpServer::Listen(server_network_, faults_, {});

  Mutex mutex_;
  CondVar changed_;
  int renewals_ FLYBALL_GUARDED_BY(mutex_) = 0;
  bool runs_ FLYBALL_GUARDED_BY(mutex_) = false;
};

/// Connects to a port of this machine, and hangs up: what a server notes of it, at -v=4, its
/// network thread writes.
inline void Knock(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  FLYBALL_CHECK(connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0,
                "cannot connect");
  close(socket);
}
inline constexpr std::string_view kNoteOfKnock = "handshake error";

/// The port of "https://127.0.0.1:41234".
inline std::uint16_t PortOf(std::string_view url) {
  return static_cast<std::uint16_t>(std::stoi(std::string(url.substr(url.rfind(':') + 1))));
}

}  // namespace flyball::threads
