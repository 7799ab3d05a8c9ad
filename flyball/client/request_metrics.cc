#include "flyball/client/request_metrics.h"

#include <atomic>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"

namespace flyball::client {
namespace {

/// Host and port of a URL, as they stand there: Go's URL.Host.
std::string HostOf(std::string_view server) {
  if (const auto scheme = server.find("://"); scheme != std::string_view::npos) {
    server.remove_prefix(scheme + 3);
  }
  server = server.substr(0, server.find_first_of("/?#"));
  if (const auto user = server.rfind('@'); user != std::string_view::npos) {
    server.remove_prefix(user + 1);
  }
  return std::string(server);
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// A few things that are made when they are first needed, and stay. What is there is found without
/// a lock; a series must not be made before it has something to show, or a scrape would show it.
template <typename Key, typename Value>
class GrowingList {
 public:
  template <typename Sought, typename Make>
  Value& FindOrMake(const Sought& key, Make make) {
    if (Value* found = Find(key)) return *found;
    MutexLock lock(mutex_);
    if (Value* found = Find(key)) return *found;
    Node& node = nodes_.emplace_back(Key(key), make, newest_.load(std::memory_order_relaxed));
    newest_.store(&node, std::memory_order_release);
    return node.value;
  }

 private:
  struct Node {
    template <typename Make>
    Node(Key of, Make& make, Node* before) : key(std::move(of)), value(make()), older(before) {}

    const Key key;
    Value value;
    Node* const older;
  };

  template <typename Sought>
  Value* Find(const Sought& key) {
    Node* node = newest_.load(std::memory_order_acquire);
    while (node != nullptr && node->key != key) node = node->older;
    return node == nullptr ? nullptr : &node->value;
  }

  std::atomic<Node*> newest_ = nullptr;
  Mutex mutex_;
  std::deque<Node> nodes_ FLYBALL_GUARDED_BY(mutex_);  // which never moves them
};

struct RequestFamilies {
  HistogramFamily duration;
  HistogramFamily limiter_duration;
  HistogramFamily request_size;
  HistogramFamily response_size;
  CounterFamily requests;
  CounterFamily retries;
};

RequestFamilies MakeFamilies(MetricRegistry& registry) {
  const std::vector<double> seconds = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
  const std::vector<double> bytes = {64,    256,    512,     1024,    4096,    16384,
                                     65536, 262144, 1048576, 4194304, 16777216};
  const std::vector<std::string> labels = {"verb", "host"};
  RequestFamilies made;
  made.duration =
      registry.Histograms({"rest_client_request_duration_seconds",
                           "[ALPHA] Duration of a request to the API server in seconds, retries "
                           "and waiting times included, by verb and host.",
                           labels},
                          seconds);
  made.limiter_duration =
      registry.Histograms({"rest_client_rate_limiter_duration_seconds",
                           "[ALPHA] Time in seconds that requests to the API server waited for the "
                           "client-side rate limiter, by verb and host.",
                           labels},
                          seconds);
  made.request_size = registry.Histograms(
      {"rest_client_request_size_bytes",
       "[ALPHA] Size of request bodies sent to the API server in bytes, by verb and host.", labels},
      bytes);
  made.response_size = registry.Histograms(
      {"rest_client_response_size_bytes",
       "[ALPHA] Size of response bodies received from the API server in bytes, by verb and host.",
       labels},
      bytes);
  made.requests = registry.Counters({"rest_client_requests_total",
                                     "[ALPHA] Number of HTTP requests sent to the API server, each "
                                     "retry counted on its own, by status code, method and host.",
                                     {"code", "method", "host"}});
  made.retries = registry.Counters({"rest_client_request_retries_total",
                                    "[ALPHA] Number of requests to the API server that were "
                                    "retries, by status code, verb and host.",
                                    {"code", "verb", "host"}});
  return made;
}

}  // namespace

/// The series of one method, which is most of their labels.
class RequestMetrics::Method {
 public:
  Method(const RequestFamilies& all, std::string name, std::string host)
      : families(all), name_(std::move(name)), host_(std::move(host)) {}

  void Observe(const HistogramFamily& family, double value) {
    histograms_.FindOrMake(&family, [&] { return family.With({name_, host_}); }).Observe(value);
  }

  void Count(const CounterFamily& family, int status) {
    counters_
        .FindOrMake(std::pair(&family, status),
                    [&] {
                      const std::string code = status == 0 ? "<error>" : std::to_string(status);
                      return family.With({code, name_, host_});
                    })
        .Increment();
  }

  const RequestFamilies& families;

 private:
  const std::string name_;
  const std::string host_;
  GrowingList<const HistogramFamily*, Histogram> histograms_;
  GrowingList<std::pair<const CounterFamily*, int>, Counter> counters_;
};

class RequestMetrics::Server {
 public:
  Server(MetricRegistry& registry, std::string host)
      : families_(MakeFamilies(registry)), host_(std::move(host)) {}

  Method& Of(std::string_view method) {
    return methods_.FindOrMake(method,
                               [&] { return Method(families_, std::string(method), host_); });
  }

 private:
  const RequestFamilies families_;
  const std::string host_;
  GrowingList<std::string, Method> methods_;
};

RequestMetrics::RequestMetrics(MetricRegistry& registry, std::string_view server)
    : server_(std::make_shared<Server>(registry, HostOf(server))) {}

RequestMetrics::Call::Call(const RequestMetrics& metrics, Kind kind, std::string_view method,
                           const Clock& clock)
    : method_(metrics.server_ == nullptr ? nullptr : &metrics.server_->Of(method)),
      clock_(&clock),
      kind_(kind),
      start_(clock.SteadyNow()),
      end_(start_) {}

RequestMetrics::Call::Call(Call&& other) noexcept
    : method_(std::exchange(other.method_, nullptr)),
      clock_(other.clock_),
      kind_(other.kind_),
      start_(other.start_),
      end_(other.end_),
      attempts_(other.attempts_),
      under_way_(other.under_way_) {}

RequestMetrics::Call& RequestMetrics::Call::operator=(Call&& other) noexcept {
  Call taken(std::move(other));
  std::swap(method_, taken.method_);
  std::swap(clock_, taken.clock_);
  std::swap(kind_, taken.kind_);
  std::swap(start_, taken.start_);
  std::swap(end_, taken.end_);
  std::swap(attempts_, taken.attempts_);
  std::swap(under_way_, taken.under_way_);
  return *this;
}

RequestMetrics::Call::~Call() {
  if (method_ == nullptr) return;
  if (under_way_) AttemptEnded(0, clock_->SteadyNow());
  if (kind_ == Kind::kWhole) method_->Observe(method_->families.duration, Seconds(end_ - start_));
}

void RequestMetrics::Call::Throttled(SteadyTime since) const {
  if (method_ == nullptr) return;
  method_->Observe(method_->families.limiter_duration, Seconds(clock_->SteadyNow() - since));
}

void RequestMetrics::Call::AttemptBegins(std::size_t body_bytes) {
  if (method_ == nullptr) return;
  under_way_ = true;
  ++attempts_;
  if (kind_ == Kind::kStream) return;
  method_->Observe(method_->families.request_size, static_cast<double>(body_bytes));
}

void RequestMetrics::Call::AttemptEnded(int status, SteadyTime at) {
  if (method_ == nullptr) return;
  under_way_ = false;
  end_ = at;
  method_->Count(method_->families.requests, status);
  if (attempts_ > 1) method_->Count(method_->families.retries, status);
}

void RequestMetrics::Call::Answered(const transport::Response& response) const {
  if (method_ == nullptr || kind_ == Kind::kStream) return;
  // PARITY: a refusal without a word is not counted, an empty success is.
  if (response.status / 100 != 2 && response.body.empty()) return;
  method_->Observe(method_->families.response_size, static_cast<double>(response.body.size()));
}

}  // namespace flyball::client
