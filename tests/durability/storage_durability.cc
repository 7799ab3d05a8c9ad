// kill -9 under write load, again and again. A child process writes from several threads and says
// on a pipe what it was told is durable; it is killed after so many lines, opening included; then
// all that it said must be there, nothing in half, and revisions must not have gone back.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/base/check.h"
#include "flyball/base/executor.h"
#include "flyball/sandbox/storage/bytes_object.h"
#include "flyball/sandbox/storage/storage.h"
#include "tests/durability/rounds.h"
#include "tests/scripted/test_folder.h"

namespace flyball::sandbox {
namespace {

constexpr int kWriters = 4;
constexpr int kKeys = 12;
constexpr std::uint64_t kMostWrites = 2000;  // that a child lives to tell of
constexpr int kRoundsAFolder = 10;

/// What was told of a write: "name revision deleted".
struct Told {
  std::string name;
  Revision revision = 0;
  bool deleted = false;
};

/// What an object must hold that was written at a revision: a half of it would be another text.
std::string TextOf(const std::string& name, Revision revision) {
  std::mt19937_64 random(static_cast<std::uint64_t>(revision));
  const std::size_t size = random() % 20 == 0 ? random() % 20'000 : random() % 200;
  std::string text = name + "@" + std::to_string(revision) + ":";
  text.append(size, static_cast<char>('a' + random() % 26));
  return text + ":end";
}

/// Half of the folders keep all history, half of them little, so that rows are deleted as well.
Storage::Options OptionsFor(const std::string& folder, int round) {
  Storage::Options options;
  options.folder = folder;
  options.changes_kept = round / kRoundsAFolder % 2 == 0 ? 1'000'000 : 100;
  return options;
}

std::unique_ptr<Storage> Open(Executor& executor, const Storage::Options& options) {
  auto opened = Storage::Open(executor, options, {});
  FLYBALL_CHECK(opened.has_value(), opened.error().Describe());
  return *std::move(opened);
}

/// The child's part: one writer. Each Done begins the next write, so there is always one under way.
class Load {
 public:
  Load(Storage& storage, int pipe, std::uint64_t seed)
      : storage_(storage), pipe_(pipe), random_(seed) {}

  /// Starts the next write; what was refused, because another was quicker, is begun anew.
  void Next() {
    const std::string name = std::to_string(random_() % kKeys);
    const StorageKey key{"pods", "n", name};
    const auto is = storage_.Get(key);
    const bool remove = is && random_() % 4 == 0;
    const auto make = [name](Revision revision) { return MakeBytes(TextOf(name, revision)); };
    auto done = [this, name, remove](const Result<Entry>& entry) {
      if (entry) Tell({name, entry->revision, remove});
      ended_.Set();
    };
    if (remove) {
      storage_.Remove(key, is->revision, make, std::move(done));
    } else {
      storage_.Put(key, is ? is->revision : 0, make, std::move(done));
    }
    ended_.Wait(clock_);
  }

 private:
  struct Flag {
    void Set() {
      const MutexLock lock(mutex);
      set = true;
      changed.NotifyOne();
    }
    void Wait(Clock& clock) {
      MutexLock lock(mutex);
      clock.Wait(lock, changed, [this]() FLYBALL_REQUIRES(mutex) { return set; });
      set = false;
    }
    Mutex mutex;
    CondVar changed;
    bool set FLYBALL_GUARDED_BY(mutex) = false;
  };

  void Tell(const Told& told) const {
    const std::string line =
        told.name + " " + std::to_string(told.revision) + " " + (told.deleted ? "1" : "0") + "\n";
    // Short enough that the kernel takes it as a whole.
    if (write(pipe_, line.data(), line.size()) < 0) _exit(1);
  }

  RealClock clock_;
  Storage& storage_;
  const int pipe_;
  std::mt19937_64 random_;
  Flag ended_;
};

[[noreturn]] void RunChild(const Storage::Options& options, int pipe, std::uint64_t seed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RealClock clock;
  ElasticExecutor executor(clock);
  const auto storage = Open(executor, options);
  for (int i = 0; i < kWriters; ++i) {
    executor.Start("writer", [&, i] {
      Load load(*storage, pipe, seed + static_cast<std::uint64_t>(i));
      for (;;) load.Next();
    });
  }
  executor.Drain();  // never: it is killed
  _exit(1);
}

/// Starts a child, kills it when it has told of `writes`, and returns all that it told.
std::vector<Told> RunAndKill(const Storage::Options& options, std::uint64_t seed,
                             std::uint64_t writes) {
  int ends[2];
  FLYBALL_CHECK(pipe(ends) == 0, "a pipe");
  const pid_t child = fork();
  FLYBALL_CHECK(child >= 0, "a child");
  if (child == 0) {
    close(ends[0]);
    RunChild(options, ends[1], seed);
  }
  close(ends[1]);

  std::string text;
  std::uint64_t lines = 0;
  bool killed = false;
  for (;;) {
    if (!killed && lines >= writes) {
      kill(child, SIGKILL);
      killed = true;
    }
    char buffer[4096];
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    const std::string_view chunk(buffer, static_cast<std::size_t>(got));
    for (const char c : chunk) lines += c == '\n' ? 1 : 0;
    text.append(chunk);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  FLYBALL_CHECK(killed && WIFSIGNALED(status), "the child ended before it was killed");

  std::vector<Told> told;
  std::istringstream in(text);
  for (Told one; in >> one.name >> one.revision >> one.deleted;) told.push_back(one);
  return told;
}

/// All the changes that are kept, and where they begin.
struct Kept {
  Revision compacted = 0;
  std::map<Revision, Change> changes;
};

Kept ReadHistory(Storage& storage) {
  Revision low = 0;
  Revision high = storage.revision();
  while (low < high) {
    const Revision middle = low + (high - low) / 2;
    if (storage.Follow("pods", "", middle, [] {})) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  Kept kept{.compacted = low, .changes = {}};
  const auto follower = *storage.Follow("pods", "", low, [] {});
  for (;;) {
    const auto taken = *follower->Take(1000);
    if (taken.empty()) return kept;
    for (const Change& change : taken) kept.changes.emplace(change.revision, change);
  }
}

/// What must hold after each kill, from round to round.
class Verifier {
 public:
  void Note(const std::vector<Told>& told) {
    for (const Told& one : told) {
      Told& last = last_[one.name];
      if (one.revision > last.revision) last = one;
      newest_ = std::max(newest_, one.revision);
    }
  }

  void Verify(Storage& storage, const std::vector<Told>& told) {
    FLYBALL_CHECK(storage.revision() >= newest_, "revisions have gone back");
    newest_ = storage.revision();
    const Kept kept = ReadHistory(storage);
    for (const auto& [revision, change] : kept.changes) {
      FLYBALL_CHECK(change.object->bytes() == TextOf(change.key->name, revision),
                    "half a change: " + std::to_string(revision));
    }
    for (const Told& one : told) {
      if (one.revision <= kept.compacted) continue;
      const auto found = kept.changes.find(one.revision);
      FLYBALL_CHECK(found != kept.changes.end() && found->second.key->name == one.name &&
                        found->second.deleted == one.deleted,
                    "a change that was told of is lost: " + std::to_string(one.revision));
    }
    VerifyObjects(storage, kept);
  }

 private:
  void VerifyObjects(Storage& storage, const Kept& kept) {
    for (const auto& [name, last] : last_) {
      const auto is = storage.Get({"pods", "n", name});
      if (!is) {
        bool deleted = last.deleted;
        for (auto later = kept.changes.upper_bound(last.revision); later != kept.changes.end();
             ++later) {
          if (later->second.key->name == name) deleted = later->second.deleted;
        }
        FLYBALL_CHECK(deleted, "an object is lost: " + name);
        continue;
      }
      FLYBALL_CHECK(
          is->revision > last.revision || (is->revision == last.revision && !last.deleted),
          "an object has gone back: " + name);
      FLYBALL_CHECK(is->object->bytes() == TextOf(name, is->revision), "half an object: " + name);
    }
  }

  std::map<std::string, Told> last_;  // by name
  Revision newest_ = 0;
};

void RunRounds(int rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::unique_ptr<scripted::TestFolder> folder;
  Verifier verifier;
  std::size_t writes = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round % kRoundsAFolder == 0) {
      folder = std::make_unique<scripted::TestFolder>();
      verifier = Verifier();
    }
    const Storage::Options options = OptionsFor(folder->path(), round);
    const std::uint64_t lives = random() % 8 == 0 ? 0 : random() % kMostWrites;
    const auto told = RunAndKill(options, random(), lives);
    writes += told.size();
    verifier.Note(told);

    // Made anew each round: a process with threads must not fork.
    RealClock clock;
    ElasticExecutor executor(clock);
    verifier.Verify(*Open(executor, options), told);
  }
  std::printf("%d rounds of kill -9, %zu acknowledged writes, none lost\n", rounds, writes);
}

}  // namespace
}  // namespace flyball::sandbox

int main(int argc, char** argv) {
  const auto rounds = flyball::sandbox::Rounds::Parse(argc, argv);
  flyball::sandbox::RunRounds(rounds.count, rounds.seed);
  return 0;
}
