#include "flyball/testkit/test_cluster.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/yaml_documents.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/base/check.h"
#include "flyball/client/discovery.h"
#include "flyball/runtime/client_identity.h"

namespace flyball::testkit {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kStep = 50ms;

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  FLYBALL_CHECK(file, "cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<api::Json> DocumentsOf(const std::filesystem::path& path) {
  const std::string contents = Contents(path);
  std::vector<api::Json> documents;
  for (const api::YamlDocument& document : api::YamlDocumentsIn(contents)) {
    api::JsonTreeSink tree;
    const auto read = api::ReadYaml(document.text, tree);
    FLYBALL_CHECK(read, path.string() + ": " + read.error().Describe());
    documents.push_back(tree.Take());
  }
  return documents;
}

Result<client::Resource> ResourceOf(const api::Json& object, const client::Served& served) {
  const api::Json* const kind = object.Find("kind");
  const api::Json* const version = object.Find("apiVersion");
  if (kind == nullptr || version == nullptr) {
    return Fail(ErrorCode::kMalformed, "an object without kind or apiVersion");
  }
  for (const client::ServedResource& candidate : served.resources) {
    const client::Resource& resource = candidate.resource;
    if (*kind == api::Json(resource.kind) && *version == api::Json(resource.ApiVersion())) {
      return resource;
    }
  }
  return Fail(ErrorCode::kNotFound, "nobody serves kind " + kind->ToString());
}

}  // namespace

TestCluster::TestCluster(const Options& options)
    : executor_(options.seed),
      logger_({}, executor_.clock(), log_),
      sandbox_({executor_, timers_}, {.seed = options.seed}),
      operator_session_(sandbox_.As(
          {.name = "system:serviceaccount:default:operator", .groups = {"system:masters"}})),
      journal_(operator_session_->transport()),
      faults_(journal_, executor_),
      session_(faults_, executor_.clock()) {
  if (options.nodes == 0) return;
  workloads_ = std::make_unique<Workloads>(sandbox_, options.nodes);
  See("workloads", [this] { workloads_->Start(); });
}

TestCluster::~TestCluster() {
  StopOperator();
  if (workloads_) See("workloads", [this] { workloads_->Stop(); });
  executor_.Abandon();
}

void TestCluster::StartOperator(const std::function<void(Manager& manager)>& describe,
                                ManagerOptions options) {
  FLYBALL_CHECK(!runnable_, "an operator runs already");
  manager_ = std::make_unique<Manager>(std::move(options));
  describe(*manager_);
  runnable_ = std::make_unique<ManagerRunnable>(
      *manager_, ManagerRunnable::Deps{.executor = executor_,
                                       .timers = timers_,
                                       .reader = session_.client(),
                                       .open_identity =
                                           [this](const std::string& controller) {
                                             return runtime::ClientIdentity::Create(
                                                 {.executor = executor_,
                                                  .transport = faults_,
                                                  .random = [] { return std::uint64_t{7}; },
                                                  .log = logger_},
                                                 {}, {.user_agent = controller});
                                           },
                                       .random = [] { return std::uint64_t{0}; },
                                       .log = logger_});
  See("operator", [this] { Must("start the operator", runnable_->Start({})); });
}

void TestCluster::StopOperator() {
  if (!runnable_) return;
  See("operator", [this] { static_cast<void>(runnable_->Stop(SteadyTime::max())); });
  runnable_.reset();
  manager_.reset();
}

void TestCluster::Install(const std::filesystem::path& manifest) {
  for (const api::Json& object : DocumentsOf(manifest)) {
    const auto created = Do([&](const client::Client& client) -> Result<api::Json> {
      FLYBALL_TRY(const client::Served served, client::Discover(client.rest()));
      FLYBALL_TRY(const client::Resource resource, ResourceOf(object, served));
      return client.Dynamic(resource).Create(object);
    });
    Must("install " + manifest.string(), created);
  }
}

std::vector<std::string> TestCluster::EventsAbout(std::string_view name) {
  const auto events = Must("list events", Do([](const client::Client& client) {
                             return client.Of<core::v1::Event>().ListIn("");
                           }));
  std::vector<std::string> lines;
  for (const core::v1::Event& event : events.items) {
    if (event.involvedObject.name != name) continue;
    lines.push_back(event.type + " " + event.reason + ": " + event.message);
  }
  return lines;
}

void TestCluster::Pass(std::chrono::nanoseconds span) {
  const auto report = executor_.RunFor(span);
  FLYBALL_CHECK(report.outcome != DeterministicExecutor::Report::Outcome::kStepLimit,
                report.Describe());
}

bool TestCluster::Eventually(const std::function<bool()>& so, std::chrono::nanoseconds within) {
  for (std::chrono::nanoseconds passed = {}; !so(); passed += kStep) {
    if (passed > within) return false;
    Pass(kStep);
  }
  return true;
}

void TestCluster::See(const std::string& name, const std::function<void()>& task) {
  bool done = false;
  executor_.Start(name, [&] {
    task();
    done = true;
  });
  // The clock moves no further than it must.
  std::chrono::nanoseconds step = 1us;
  while (!done) {
    Pass(step);
    step = std::min(2 * step, kStep * 20);
  }
}

void TestCluster::Refuse(std::string_view verb, const Error& error) {
  CheckFailed(__FILE__, __LINE__, "the server agrees", std::string(verb) + ": " + error.Describe());
}

}  // namespace flyball::testkit
