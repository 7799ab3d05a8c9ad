#include <benchmark/benchmark.h>
#include <pthread.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <string>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/serving/certificates.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/http_transport.h"

namespace flyball::serving {
namespace {

/// Answers at once with a small object, and knows the thread on which it is asked.
class Immediate final : public transport::Transport {
 public:
  std::shared_ptr<transport::Exchange> Send(
      transport::Request, std::shared_ptr<transport::ResponseHandler> handler) override {
    if (!known_.exchange(true)) pthread_getcpuclockid(pthread_self(), &server_thread_);
    handler->OnHead({200, {{"content-type", "application/json"}, {"audit-id", "0123456789"}}});
    handler->OnData(body_);
    handler->OnEnd({});
    return over_;
  }

  double ServerSeconds() const {
    timespec time{};
    clock_gettime(server_thread_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

 private:
  class Over final : public transport::Exchange {
    void Cancel() override {}
    void Consumed(std::size_t) override {}
  };

  const std::string body_ = std::string(400, 'x');
  const std::shared_ptr<Over> over_ = std::make_shared<Over>();
  std::atomic<bool> known_ = false;
  clockid_t server_thread_ = {};
};

/// Asks anew as soon as there is an answer, until there were enough.
class Asker final : public transport::ResponseHandler, public std::enable_shared_from_this<Asker> {
 public:
  Asker(transport::Transport& to, std::atomic<int>& left, std::atomic<int>& running)
      : to_(to), left_(left), running_(running) {}

  void Ask() {
    if (left_.fetch_sub(1) <= 0) {
      --running_;
      running_.notify_all();
      return;
    }
    to_.Send({.target = "/api/v1/namespaces/default/pods/web-0",
              .headers = {{"accept", "application/json"}, {"user-agent", "bench"}}},
             shared_from_this());
  }
  void OnHead(transport::ResponseHead) override {}
  void OnData(std::string_view) override {}
  void OnEnd(Result<> how) override {
    FLYBALL_CHECK(how.has_value(), "the server answers");
    Ask();
  }

 private:
  transport::Transport& to_;
  std::atomic<int>& left_;
  std::atomic<int>& running_;
};

void AskMany(transport::Transport& client, int requests, int in_flight) {
  std::atomic<int> left = requests;
  std::atomic<int> running = in_flight;
  for (int i = 0; i < in_flight; ++i) std::make_shared<Asker>(client, left, running)->Ask();
  for (int now = running; now > 0; now = running) running.wait(now);
}

/// Small GETs over one connection with TLS, eight in flight. What the server's thread needs for one
/// is `server_us`.
void SmallGet(benchmark::State& state) {
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network server_network(executor);
  transport::Network client_network(executor);
  Immediate answers;
  const auto now = clock.WallNow();
  const auto authority = *CertificateAuthority::Make("bench", now);
  const auto certificate = authority.Issue({.common_name = "server", .names = {"127.0.0.1"}}, now);
  const auto server = *HttpServer::Listen(
      server_network, answers,
      {.tls = TlsOptions{.certificate = *certificate}, .http2 = state.range(0) == 2});
  transport::HttpTransport::Options options;
  options.server = *transport::Url::Parse(server->url());
  options.tls = [&] { return transport::TlsOptions{.roots = authority.self().certificate_pem}; };
  transport::HttpTransport client(client_network, std::move(options));
  AskMany(client, 100, 8);

  constexpr int kBatch = 20'000;
  const double before = answers.ServerSeconds();
  for (auto _ : state) AskMany(client, kBatch, 8);
  const double requests = static_cast<double>(state.iterations()) * kBatch;
  state.counters["requests"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
  state.counters["server_us"] = 1e6 * (answers.ServerSeconds() - before) / requests;
}
BENCHMARK(SmallGet)->ArgName("http")->Arg(2)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flyball::serving
