// Our side of the cache benchmark, on the cluster of KUBECONFIG: `cache_bench sync N` fills a cache
// with N pods; `cache_bench steady 0` follows changes until the writer says that it is done. Prints
// one `name value` a line.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/base/check.h"
#include "flyball/base/executor.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/transport/http_transport.h"

namespace flyball {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr int kHandlers = 10;
constexpr int kReplicas = 20;  // of what an index finds at once

rusage Usage() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

nanoseconds CpuTime() {
  const rusage usage = Usage();
  const auto of = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + microseconds(t.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

long ResidentKb() {
  std::ifstream file("/proc/self/statm");
  long size = 0;
  long pages = 0;
  file >> size >> pages;
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

/// What an informer needs, and the connection.
struct Setup {
  RealClock clock;
  ElasticExecutor executor{clock};
  transport::Network network{executor};
  client::AccessConfig access = [] {
    auto found = client::ToolAccess("", {}, {}, {});
    FLYBALL_CHECK(found, found.error().Describe());
    return *std::move(found);
  }();
  std::unique_ptr<client::Credentials> credentials =
      *client::Credentials::Create(access, {.clock = clock});
  transport::HttpTransport transport{network, [this] {
                                       transport::HttpTransport::Options options;
                                       options.server = access.server;
                                       options.tls = [this] { return credentials->Tls(); };
                                       return options;
                                     }()};
  client::RestClient rest{
      {.transport = transport, .clock = clock, .credentials = credentials.get()}, {}};
  client::Client client{rest};
  Timers timers{executor};
  cache::InformerFactory informers{
      {.client = client, .executor = executor, .timers = timers, .random = [] { return 0.5; }}};
};

/// Has so many pods each as a Deployment has replicas.
std::string AppOf(std::string_view pod) {
  const std::string_view digits = pod.substr(pod.find('-') + 1);
  int n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return "app-" + std::to_string(n / kReplicas);
}

cache::Informer<views::Pod> Pods(Setup& setup) {
  auto pods = setup.informers.Of<views::Pod>();
  pods.AddIndex("app", [](const views::Pod& pod, cache::IndexValues& values) {
    values.push_back(AppOf(pod.metadata.name));
  });
  return pods;
}

template <typename Call>
void Measure(const char* name, Call call) {
  constexpr int kCalls = 20'000;
  nanoseconds best = nanoseconds::max();
  for (int round = 0; round < 5; ++round) {
    const nanoseconds start = CpuTime();
    for (int i = 0; i < kCalls; ++i) FLYBALL_CHECK(call(), name);
    best = std::min(best, CpuTime() - start);
  }
  std::printf("%s %.1f\n", name, static_cast<double>(best.count()) / kCalls);
}

void Sync(int n) {
  Setup setup;
  FLYBALL_CHECK(setup.client.Of<core::v1::Namespace>().Get({"", "bench"}), "the connection");
  const auto pods = Pods(setup);
  const SteadyTime start = setup.clock.SteadyNow();
  const nanoseconds cpu = CpuTime();
  setup.informers.Start();
  setup.informers.WaitForSync({});
  const nanoseconds took = setup.clock.SteadyNow() - start;
  const nanoseconds used = CpuTime() - cpu;
  FLYBALL_CHECK(pods.lister().size() >= static_cast<std::size_t>(n), "not enough pods");
  setup.clock.SleepFor(std::chrono::seconds(3));
  std::printf("sync_ms %ld\n", duration_cast<milliseconds>(took).count());
  std::printf("sync_cpu_ms %ld\n", duration_cast<milliseconds>(used).count());
  std::printf("sync_resident_kb %ld\n", ResidentKb());
  std::printf("sync_least_kb %ld\n", ResidentKb());
  std::printf("sync_peak_kb %ld\n", Usage().ru_maxrss);
  int key = 0;
  Measure("index_ns", [&] {
    key = (key + 7919) % (n / kReplicas);
    return !pods.lister().ByIndex("app", "app-" + std::to_string(key)).empty();
  });
  Measure("get_ns", [&] {
    key = (key + 7919) % (n - 1);
    return pods.lister().Get({"bench", "go-" + std::to_string(key + 1)}) != nullptr;
  });
}

void Follow(cache::Delivery delivery) {
  Setup setup;
  const auto pods = Pods(setup);
  std::atomic<std::int64_t> seen = 0;
  std::vector<nanoseconds> latencies;
  std::atomic<bool> done = false;
  std::vector<std::unique_ptr<cache::Registration>> handlers;
  for (int i = 0; i < kHandlers; ++i) {
    const auto updated = [&, i](const auto&, const cache::Ref<views::Pod>& now) {
      ++seen;
      if (i != kHandlers - 1) return;
      const auto sent = now->metadata.labels.find("sent").value_or("");
      if (sent == "end") {
        done = true;
        done.notify_one();
      }
      std::int64_t nanos = 0;
      std::from_chars(sent.data(), sent.data() + sent.size(), nanos);
      if (nanos > 0)
        latencies.push_back(setup.clock.WallNow().time_since_epoch() - nanoseconds(nanos));
    };
    handlers.push_back(pods.AddHandler("bench", {.updated = updated}, {.delivery = delivery}));
  }
  setup.informers.Start();
  setup.informers.WaitForSync({});
  std::printf("# synced\n");
  std::fflush(stdout);
  const nanoseconds cpu = CpuTime();
  done.wait(false);
  const nanoseconds used = CpuTime() - cpu;
  setup.informers.Stop();
  std::ranges::sort(latencies);
  const std::size_t n = latencies.size();
  std::printf("steady_updates %zu\n", n);
  std::printf(
      "steady_cpu_us %.1f\n",
      static_cast<double>(duration_cast<microseconds>(used).count()) / static_cast<double>(n));
  std::printf("steady_p50_us %ld\n", duration_cast<microseconds>(latencies[n / 2]).count());
  std::printf("steady_p99_us %ld\n", duration_cast<microseconds>(latencies[n * 99 / 100]).count());
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what == "sync") {
    flyball::Sync(std::atoi(argv[2]));
  } else if (what == "steady") {
    flyball::Follow(flyball::cache::Delivery::kAsync);
  } else if (what == "quick") {
    flyball::Follow(flyball::cache::Delivery::kInline);
  } else {
    std::fprintf(stderr, "usage: cache_bench sync|steady|quick N\n");
    return 2;
  }
  return 0;
}
