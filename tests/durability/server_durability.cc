// kill -9 of the API server under the writes of several clients, again and again. A child process
// serves a folder over HTTP; clients here create, update, patch and delete, and a watch looks on.
// The child is killed in the middle of that, and started again on the same folder. Then every
// object must be as its writer was last told, or as the one write under way would have made it,
// whole; versions must not have gone back; and the watch, taken up where it broke, must have seen
// all that was acknowledged, or be told that it is too late.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/check.h"
#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/client/client.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/http_transport.h"
#include "tests/durability/rounds.h"
#include "tests/scripted/test_folder.h"

namespace flyball::sandbox {
namespace {

using core::v1::ConfigMap;

constexpr int kWriters = 4;
constexpr int kKeysAWriter = 4;
constexpr std::uint64_t kMostWrites = 600;  // that a server lives to acknowledge
constexpr int kRoundsAFolder = 10;
constexpr char kNamespace[] = "default";

/// Half of the folders keep all history, half of them little, so that watches come too late.
std::size_t ChangesKept(int round) { return round / kRoundsAFolder % 2 == 0 ? 1'000'000 : 100; }

/// What the n-th write of an object says: a half of it would be another text.
std::string TextOf(const std::string& name, int n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  const std::size_t size = random() % 20 == 0 ? random() % 20'000 : random() % 200;
  return name + "#" + std::to_string(n) + std::string(size, static_cast<char>('a' + n % 26)) + ".";
}

Revision VersionOf(const ConfigMap& object) {
  return std::strtoll(object.metadata.resourceVersion.c_str(), nullptr, 10);
}

/// The server in a process of its own.
class ServerProcess {
 public:
  /// To be called while this process has one thread.
  ServerProcess(const std::string& folder, std::size_t changes_kept) {
    int ends[2];
    FLYBALL_CHECK(pipe(ends) == 0, "a pipe");
    child_ = fork();
    FLYBALL_CHECK(child_ >= 0, "a child");
    if (child_ == 0) {
      close(ends[0]);
      Run(folder, changes_kept, ends[1]);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  ~ServerProcess() {
    Kill();
    waitpid(child_, nullptr, 0);
    close(pipe_);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Waits until it serves.
  std::string Url() const {
    std::string text;
    for (char c = 0; read(pipe_, &c, 1) == 1 && c != '\n';) text += c;
    FLYBALL_CHECK(!text.empty(), "the server did not start");
    return text;
  }
  void Kill() {
    killed_ = true;
    kill(child_, SIGKILL);
  }
  bool killed() const { return killed_; }

 private:
  [[noreturn]] static void Run(const std::string& folder, std::size_t changes_kept, int pipe) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    RealClock clock;
    ElasticExecutor executor(clock);
    Timers timers(executor);
    transport::Network network(executor);
    std::mt19937_64 random{std::random_device{}()};
    const auto server = ApiServer::Create(
        {executor, timers},
        {.folder = folder, .changes_kept = changes_kept, .random = [&] { return random(); }});
    FLYBALL_CHECK(server.has_value(), server.error().Describe());
    const auto door = (*server)->As({.name = "admin", .groups = {"system:masters"}});
    const auto http = serving::HttpServer::Listen(network, *door, {});
    FLYBALL_CHECK(http.has_value(), http.error().Describe());
    const std::string line = (*http)->url() + "\n";
    if (write(pipe, line.data(), line.size()) < 0) _exit(1);
    for (;;) pause();  // it is killed
  }

  pid_t child_ = 0;
  int pipe_ = -1;
  std::atomic<bool> killed_ = false;
};

/// An object as its one writer knows it.
struct State {
  bool exists = false;
  int n = 0;  // of the write that made it so
};
struct Known {
  State acknowledged;
  ConfigMap object;                // as it was then
  std::optional<State> attempted;  // a write that was not answered
};

/// What a watch has seen, from round to round.
class Watcher {
 public:
  /// Follows the collection until the server dies.
  void Follow(const client::Client& client, const ServerProcess& server) {
    const Result<> end = Read(client);
    const bool too_late = end.error().code() == ErrorCode::kGone;
    FLYBALL_CHECK(too_late || server.killed(), end.error().Describe());
    const MutexLock lock(mutex_);
    too_late_ = too_late;
    changed_.NotifyAll();
  }

  /// Waits for a change, unless it was told that it is too late.
  bool WaitFor(Revision revision, Clock& clock) {
    MutexLock lock(mutex_);
    clock.Wait(lock, changed_,
               [&]() FLYBALL_REQUIRES(mutex_) { return too_late_ || since_ >= revision; });
    return !too_late_;
  }
  /// Begins anew from a list.
  void StartAt(Revision revision) {
    const MutexLock lock(mutex_);
    too_late_ = false;
    begin_ = since_ = revision;
    seen_.clear();
  }
  void CheckSaw(const ConfigMap& object) {
    const MutexLock lock(mutex_);
    if (VersionOf(object) <= begin_) return;
    const auto found = seen_.find(VersionOf(object));
    FLYBALL_CHECK(found != seen_.end() && found->second == object.metadata.name,
                  "the watch missed " + object.metadata.name);
  }

 private:
  Result<> Read(const client::Client& client) {
    meta::v1::ListOptions options;
    {
      const MutexLock lock(mutex_);
      options.resourceVersion = std::to_string(since_);
    }
    FLYBALL_TRY(auto watch, client.Of<ConfigMap>().WatchIn(kNamespace, options));
    for (;;) {
      FLYBALL_TRY(const auto event, watch.Next());
      if (!event) return Fail(ErrorCode::kIo, "the watch ended by itself");
      Note(*event);
    }
  }

  void Note(const client::WatchEvent<ConfigMap>& event) {
    const MutexLock lock(mutex_);
    const Revision revision = VersionOf(event.object);
    FLYBALL_CHECK(revision > since_, "the watch has gone back");
    since_ = revision;
    seen_[revision] = event.object.metadata.name;
    changed_.NotifyAll();
  }
  Mutex mutex_;
  CondVar changed_;
  bool too_late_ FLYBALL_GUARDED_BY(mutex_) = false;
  Revision begin_ FLYBALL_GUARDED_BY(mutex_) = 0;
  Revision since_ FLYBALL_GUARDED_BY(mutex_) = 0;
  std::map<Revision, std::string> seen_ FLYBALL_GUARDED_BY(mutex_);
};

/// One client, and the objects that are its own.
class Writer {
 public:
  Writer(int number, std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < kKeysAWriter; ++i) {
      known_["w" + std::to_string(number) + "-" + std::to_string(i)];
    }
  }

  /// Writes until the server is killed, which the last of `left` does.
  void Run(const client::Client& client, ServerProcess& server, std::atomic<std::int64_t>& left) {
    while (!server.killed()) {
      auto at = known_.begin();
      std::advance(at, random_() % known_.size());
      if (const auto written = WriteOne(client.Of<ConfigMap>(), at->first, at->second); !written) {
        FLYBALL_CHECK(server.killed(), written.error().Describe());
        return;
      }
      if (--left <= 0) server.Kill();
    }
  }

  /// What is there must be what was acknowledged or attempted, and is then what is known.
  void Check(const std::map<std::string, ConfigMap>& there) {
    for (auto& [name, known] : known_) {
      const auto found = there.find(name);
      const bool exists = found != there.end();
      const int n = exists ? NumberIn(found->second) : 0;
      const auto is = [&](const State& state) {
        return state.exists == exists && (!exists || state.n == n);
      };
      FLYBALL_CHECK(is(known.acknowledged) || (known.attempted && is(*known.attempted)),
                    "a write is lost or half done: " + name);
      if (exists) {
        FLYBALL_CHECK(found->second.data == DataOf(name, n), "half an object: " + name);
        FLYBALL_CHECK(VersionOf(found->second) >= VersionOf(known.object),
                      "an object has gone back: " + name);
        known.object = found->second;
      }
      known.acknowledged = {exists, n};
      known.attempted.reset();
    }
  }

  std::vector<ConfigMap> TakeAcknowledged() { return std::exchange(acknowledged_, {}); }

 private:
  static api::Map<std::string> DataOf(const std::string& name, int n) {
    return {{"n", std::to_string(n)}, {"text", TextOf(name, n)}};
  }
  static int NumberIn(const ConfigMap& object) {
    const std::string* const n = object.data.find("n");
    FLYBALL_CHECK(n != nullptr, "half an object: " + object.metadata.name);
    return std::atoi(n->c_str());
  }

  Result<> WriteOne(const client::ResourceClient<ConfigMap>& maps, const std::string& name,
                    Known& known) {
    const int n = ++writes_;
    const bool remove = known.acknowledged.exists && random_() % 4 == 0;
    known.attempted = State{!remove, n};
    if (remove) {
      FLYBALL_TRY(maps.Delete({kNamespace, name}));
    } else {
      FLYBALL_TRY(ConfigMap written, Put(maps, name, n, known));
      FLYBALL_CHECK(VersionOf(written) > VersionOf(known.object), "a version has gone back");
      acknowledged_.push_back(written);
      known.object = std::move(written);
    }
    known.acknowledged = *std::exchange(known.attempted, std::nullopt);
    return {};
  }

  Result<ConfigMap> Put(const client::ResourceClient<ConfigMap>& maps, const std::string& name,
                        int n, const Known& known) {
    if (known.acknowledged.exists && random_() % 2 == 0) {
      api::Json::Object data;
      for (const auto& [key, value] : DataOf(name, n)) data[key] = value;
      return maps.Patch({kNamespace, name},
                        client::Patch::Merge(api::Json::Object{{"data", data}}));
    }
    ConfigMap object;
    object.metadata.namespace_ = kNamespace;
    object.metadata.name = name;
    object.data = DataOf(name, n);
    if (!known.acknowledged.exists) return maps.Create(object);
    object.metadata.resourceVersion = known.object.metadata.resourceVersion;
    return maps.Update(object);
  }

  std::mt19937_64 random_;
  int writes_ = 0;
  std::map<std::string, Known> known_;  // by name
  std::vector<ConfigMap> acknowledged_;
};

/// What lives as long as a folder does.
class Ledger {
 public:
  explicit Ledger(std::uint64_t seed) {
    for (int i = 0; i < kWriters; ++i) {
      writers_.push_back(std::make_unique<Writer>(i, seed + static_cast<std::uint64_t>(i)));
    }
  }

  /// Starts the server, holds it to what it said before, and kills it after so many writes.
  void Round(const std::string& folder, std::size_t changes_kept, std::uint64_t lives) {
    ServerProcess server(folder, changes_kept);
    if (lives == 0) return;  // while it starts
    RealClock clock;
    ElasticExecutor beneath(clock);
    transport::Network network(beneath);
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(server.Url());
    transport::HttpTransport transport(network, std::move(options));
    client::RestClient rest({.transport = transport, .clock = clock}, {});
    const client::Client client(rest);
    ElasticExecutor executor(clock);
    executor.Start("watch", [&] { watcher_.Follow(client, server); });
    Verify(client, clock);
    std::atomic<std::int64_t> left = static_cast<std::int64_t>(lives);
    for (const auto& writer : writers_) {
      executor.Start("writer", [&] { writer->Run(client, server, left); });
    }
    executor.Drain();
  }

  std::size_t writes() const { return writes_; }
  std::size_t late() const { return late_; }

 private:
  void Verify(const client::Client& client, Clock& clock) {
    const auto maps = client.Of<ConfigMap>();
    const auto list = maps.ListIn(kNamespace);
    FLYBALL_CHECK(list.has_value(), list.error().Describe());
    const Revision now = std::strtoll(list->metadata.resourceVersion.c_str(), nullptr, 10);
    FLYBALL_CHECK(now >= newest_, "revisions have gone back");
    std::map<std::string, ConfigMap> there;
    for (const ConfigMap& each : list->items) there[each.metadata.name] = each;
    for (const auto& writer : writers_) writer->Check(there);

    // The last change of all: when the watch has got here, it has got everywhere.
    ConfigMap mark;
    mark.metadata.namespace_ = kNamespace;
    mark.metadata.generateName = "mark-";
    const auto marked = maps.Create(mark);
    FLYBALL_CHECK(marked.has_value(), marked.error().Describe());
    newest_ = VersionOf(*marked);
    const bool saw_all = watcher_.WaitFor(newest_, clock);
    for (const auto& writer : writers_) {
      for (const ConfigMap& written : writer->TakeAcknowledged()) {
        ++writes_;
        if (saw_all) watcher_.CheckSaw(written);
      }
    }
    if (saw_all) return;
    ++late_;
    watcher_.StartAt(newest_);
  }

  std::vector<std::unique_ptr<Writer>> writers_;
  Watcher watcher_;
  Revision newest_ = 0;
  std::size_t writes_ = 0;
  std::size_t late_ = 0;
};

void RunRounds(int rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::size_t writes = 0;
  std::size_t late = 0;
  for (int round = 0; round < rounds;) {
    const scripted::TestFolder folder;
    const std::size_t changes_kept = ChangesKept(round);
    Ledger ledger(random());
    for (int i = 0; i < kRoundsAFolder && round < rounds; ++i, ++round) {
      ledger.Round(folder.path(), changes_kept, random() % 8 == 0 ? 0 : 1 + random() % kMostWrites);
    }
    ledger.Round(folder.path(), changes_kept, 1);  // to look at what the last one left
    writes += ledger.writes();
    late += ledger.late();
  }
  std::printf("%d rounds of kill -9, %zu acknowledged writes, none lost; %zu watches too late\n",
              rounds, writes, late);
}

}  // namespace
}  // namespace flyball::sandbox

int main(int argc, char** argv) {
  const auto rounds = flyball::sandbox::Rounds::Parse(argc, argv);
  flyball::sandbox::RunRounds(rounds.count, rounds.seed);
  return 0;
}
