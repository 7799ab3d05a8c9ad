// Our side of the client benchmark: `client_bench VERB N TEMPLATE` does one verb N times on the
// cluster of KUBECONFIG, many at once, and prints what it took, one `name value` a line. TEMPLATE
// is the pod template that pods are made from.

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>

#include "flyball/api/protobuf_decode.h"
#include "flyball/api/views.h"
#include "flyball/base/check.h"
#include "flyball/base/executor.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/transport/http_transport.h"

namespace flyball {
namespace {

using core::v1::Pod;

constexpr std::size_t kInFlight = 64;

std::int64_t CpuMicroseconds(const rusage& usage) {
  const auto microseconds = [](const timeval& t) {
    return t.tv_sec * std::int64_t{1'000'000} + t.tv_usec;
  };
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

rusage Usage() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

Pod TemplatePod(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto pod_template = api::DecodeProtobuf<core::v1::PodTemplateSpec>(bytes);
  FLYBALL_CHECK(pod_template, pod_template.error().Describe());
  Pod pod;
  pod.metadata = std::move(pod_template->metadata);
  pod.spec = std::move(pod_template->spec);
  pod.metadata.namespace_ = "bench";
  return pod;
}

using Pods = client::ResourceClient<Pod>;

/// One call of the verb, under way.
client::Pending<Pod> Start(const std::string& verb, const Pods& pods, const Pod& like, int i) {
  const std::string name = "ours-" + std::to_string(verb == "create" ? i : 1 + i % 1000);
  if (verb == "get") return pods.Async().Get({"bench", name});
  if (verb == "patch") {
    const std::string round = std::to_string(i);
    return pods.Async().Patch({"bench", name},
                              {client::PatchType::kMerge,
                               R"({"metadata":{"annotations":{"round":")" + round + R"("}}})"});
  }
  Pod pod = like;
  pod.metadata.name = name;
  pod.metadata.labels["app.kubernetes.io/instance"] = name;
  return pods.Async().Create(pod);
}

/// As many at once as may be, from one caller, to the n-th.
void CallTimes(const std::string& verb, const Pods& pods, const Pod& like, int n) {
  std::deque<client::Pending<Pod>> in_flight;
  for (int started = 1; started <= n || !in_flight.empty();) {
    if (started <= n && in_flight.size() < kInFlight) {
      in_flight.push_back(Start(verb, pods, like, started++));
      continue;
    }
    const auto pod = in_flight.front().Wait();
    FLYBALL_CHECK(pod, pod.error().Describe());
    in_flight.pop_front();
  }
}

/// Ends with a list of the pods in memory, as the caches read and keep them.
void ListTimes(const client::Client& client, int n) {
  auto reader = client.Reader<views::Pod>();
  for (int i = 0; i < n; ++i) {
    std::vector<std::shared_ptr<const views::Pod>> pods;
    const auto listed = reader.List("bench", {}, {}, [&](auto pod) -> Result<> {
      pods.push_back(std::move(pod));
      return {};
    });
    FLYBALL_CHECK(listed, listed.error().Describe());
    FLYBALL_CHECK(pods.size() >= 10'000, "not enough pods");
  }
}

void Run(const std::string& verb, int n, const Pod& like) {
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network network(executor);
  const auto access = client::ToolAccess("", {}, {}, {});
  FLYBALL_CHECK(access, access.error().Describe());
  const auto credentials = client::Credentials::Create(*access, {.clock = clock});
  FLYBALL_CHECK(credentials, credentials.error().Describe());
  transport::HttpTransport::Options options;
  options.server = access->server;
  options.tls = [&] { return (*credentials)->Tls(); };
  transport::HttpTransport transport(network, options);
  client::RestClient rest(
      {.transport = transport, .clock = clock, .credentials = credentials->get()}, {});
  const client::Client client(rest);
  const auto pods = client.Of<Pod>();

  const auto run = [&](int times) {
    verb == "list" ? ListTimes(client, times) : CallTimes(verb, pods, like, times);
  };
  if (verb != "create") run(1);  // the connection
  const SteadyTime start = clock.SteadyNow();
  const std::int64_t cpu = CpuMicroseconds(Usage());
  run(n);
  const rusage usage = Usage();
  const std::chrono::duration<double> took = clock.SteadyNow() - start;
  std::printf("%s_cpu_us %.1f\n", verb.c_str(),
              static_cast<double>(CpuMicroseconds(usage) - cpu) / n);
  std::printf("%s_per_second %.0f\n", verb.c_str(), n / took.count());
  std::printf("%s_peak_kb %ld\n", verb.c_str(), usage.ru_maxrss);
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: client_bench VERB N TEMPLATE\n");
    return 2;
  }
  flyball::Run(argv[1], std::atoi(argv[2]), flyball::TemplatePod(argv[3]));
  return 0;
}
