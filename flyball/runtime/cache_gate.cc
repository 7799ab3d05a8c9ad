#include "flyball/runtime/cache_gate.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <utility>

#include "flyball/api/resource_version.h"
#include "flyball/base/mutex.h"
#include "flyball/runtime/own_write_metrics.h"

namespace flyball::runtime {
namespace {

/// The order in which versions come; before all of them, those of deletions, which have none.
struct ByVersion {
  bool operator()(const std::string& a, const std::string& b) const {
    if (a.empty() || b.empty()) return a.empty() && !b.empty();
    return api::CompareResourceVersions(a, b) == std::strong_ordering::less;
  }
};

}  // namespace

/// Whoever waits, waits for one write at a time, in the line of its resource. So what a cache's
/// progress costs goes with how many it releases, and not with how many wait.
///
/// Kept by what the caches call, which may come once more when the gate is gone.
class CacheGate::State : public std::enable_shared_from_this<State> {
 public:
  explicit State(Deps deps)
      : deps_(std::move(deps)), timer_(deps_.timers, [this] { GiveUpOverdue(); }) {
    if (deps_.metrics == nullptr) return;
    metrics_ = OwnWriteMetrics(*deps_.metrics, deps_.controller,
                               [this] { return static_cast<double>(waiting()); });
  }

  void Add(const client::Resource& resource, const std::shared_ptr<cache::InformerCore>& cache) {
    {
      MutexLock lock(mutex_);
      caches_.push_back({resource, cache, cache->resource_version(), {}});
    }
    cache->OnProgress(
        [weak = weak_from_this(), its = cache.get()](const std::string& version, bool replaced) {
          if (const auto self = weak.lock()) self->Progress(its, version, replaced);
        });
  }

  bool Knows(const client::Resource& resource) const {
    MutexLock lock(mutex_);
    return std::ranges::any_of(caches_,
                               [&](const Cache& cache) { return cache.resource == resource; });
  }

  void WhenSeen(std::vector<Write> writes, Release release) {
    const SteadyTime now = deps_.timers.clock().SteadyNow();
    bool passed_over = false;
    {
      MutexLock lock(mutex_);
      DropSeen(writes, passed_over);
      if (!writes.empty()) {
        holds_.push_back({std::move(writes), now, std::move(release), passed_over, {}, {}});
        LineUp(std::prev(holds_.end()));
        timer_.FireBy(holds_.front().since + kLongest);
        return;
      }
    }
    release({.passed_over = passed_over});
  }

  /// Whoever waits is not told any more, and may be gone.
  void Close() {
    MutexLock lock(mutex_);
    lines_.clear();
    holds_.clear();
  }

  std::size_t waiting() const {
    MutexLock lock(mutex_);
    return holds_.size();
  }

 private:
  struct Cache {
    client::Resource resource;
    std::shared_ptr<cache::InformerCore> core;
    std::string version;    // what it has got to
    std::string read_anew;  // what it had got to when it last read all anew; empty: it has not
  };
  struct Hold;
  using Holds = std::list<Hold>;  // the oldest first
  /// Those who wait for writes to one resource, by version.
  struct Line {
    client::Resource resource;
    std::multimap<std::string, Holds::iterator, ByVersion> holds = {};
  };
  struct Hold {
    std::vector<Write> unseen;  // the last is what is waited for
    SteadyTime since;
    Release release;
    bool passed_over;
    Line* line;  // the last one, once it stands in none
    decltype(Line::holds)::iterator place;
  };

  /// A cache has got further. Called as its quick handlers are: everything before `version` is in
  /// its store.
  void Progress(const cache::InformerCore* core, const std::string& version, bool replaced) {
    MutexLock lock(mutex_);
    for (Cache& cache : caches_) {
      if (cache.core.get() != core) continue;
      // Something older than what was there: etcd was restored, and what was written is gone.
      const auto order = api::CompareResourceVersions(version, cache.version);
      if (replaced && order == std::strong_ordering::less) Forget(cache.resource);
      // The first time it has shown nothing yet that it could pass over.
      if (replaced && !cache.version.empty()) cache.read_anew = version;
      cache.version = version;
      for (const Holds::iterator hold : SeenIn(LineOf(cache.resource))) {
        LeaveLine(*hold);
        GoOn(hold);
      }
    }
  }

  /// Those in a line who need not wait for that write any more.
  std::vector<Holds::iterator> SeenIn(const Line& line) const FLYBALL_REQUIRES(mutex_) {
    std::vector<Holds::iterator> seen;
    for (const auto& [version, hold] : line.holds) {
      if (Seen(hold->unseen.back())) {
        seen.push_back(hold);
      } else if (!version.empty()) {
        break;  // nor are those behind it
      }
    }
    return seen;
  }

  Line& LineOf(const client::Resource& resource) FLYBALL_REQUIRES(mutex_) {
    for (Line& line : lines_) {
      if (line.resource == resource) return line;
    }
    return lines_.emplace_back(resource);
  }

  void LineUp(Holds::iterator hold) FLYBALL_REQUIRES(mutex_) {
    const Write& write = hold->unseen.back();
    hold->line = &LineOf(write.resource);
    hold->place = hold->line->holds.emplace(write.resource_version, hold);
  }

  static void LeaveLine(const Hold& hold) { hold.line->holds.erase(hold.place); }

  /// Releases one that stands in no line, or has it wait for what is left.
  void GoOn(Holds::iterator hold) FLYBALL_REQUIRES(mutex_) {
    DropSeen(hold->unseen, hold->passed_over);
    if (!hold->unseen.empty()) return LineUp(hold);
    Release(*hold);
    holds_.erase(hold);
  }

  void DropSeen(std::vector<Write>& writes, bool& passed_over) const FLYBALL_REQUIRES(mutex_) {
    std::erase_if(writes, [&](const Write& write) FLYBALL_REQUIRES(mutex_) {
      const bool seen = Seen(write);
      passed_over = passed_over || (seen && PassedOver(write));
      return seen;
    });
  }

  void Release(const Hold& hold) const FLYBALL_REQUIRES(mutex_) {
    const std::chrono::duration<double> held = deps_.timers.clock().SteadyNow() - hold.since;
    metrics_.held.Observe(held.count());
    hold.release({.passed_over = hold.passed_over, .waited_for = &hold.line->resource});
  }

  void Forget(const client::Resource& resource) FLYBALL_REQUIRES(mutex_) {
    for (auto hold = holds_.begin(); hold != holds_.end();) {
      const auto next = std::next(hold);
      LeaveLine(*hold);
      const auto lost = std::erase_if(
          hold->unseen, [&](const Write& write) { return write.resource == resource; });
      hold->passed_over = hold->passed_over || lost > 0;
      GoOn(hold);
      hold = next;
    }
  }

  bool Seen(const Write& write) const FLYBALL_REQUIRES(mutex_) {
    return std::ranges::all_of(caches_, [&](const Cache& cache) {
      return cache.resource != write.resource || SeenBy(cache, write);
    });
  }

  /// Of a write that is seen: whether that is because all was read anew. Deletions are not passed
  /// over: what is gone was there.
  bool PassedOver(const Write& write) const FLYBALL_REQUIRES(mutex_) {
    return write.kind == Write::Kind::kStored &&
           std::ranges::any_of(caches_, [&](const Cache& cache) {
             if (cache.resource != write.resource || cache.read_anew.empty()) return false;
             const auto order =
                 api::CompareResourceVersions(cache.read_anew, write.resource_version);
             return order == std::strong_ordering::greater || order == std::strong_ordering::equal;
           });
  }

  static bool SeenBy(const Cache& cache, const Write& write) {
    if (write.kind == Write::Kind::kStored) {
      // What is not a number is not waited for.
      return api::CompareResourceVersions(cache.version, write.resource_version) !=
             std::strong_ordering::less;
    }
    const cache::Object object = cache.core->store().Get(write.key.namespace_, write.key.name);
    if (!object) return true;
    const auto metadata = cache.core->form().MetadataOf(object);
    return metadata->metadata.uid != write.uid || metadata->metadata.deletionTimestamp.has_value();
  }

  void GiveUpOverdue() {
    const SteadyTime now = deps_.timers.clock().SteadyNow();
    MutexLock lock(mutex_);
    for (; !holds_.empty() && holds_.front().since + kLongest <= now; holds_.pop_front()) {
      const Hold& hold = holds_.front();
      const Write& unseen = hold.unseen.back();
      metrics_.gave_up.Increment();
      deps_.log.Info("A cache does not show what was written, going on without",
                     {{"resource", unseen.resource.QualifiedName()},
                      {"resourceVersion", unseen.resource_version},
                      {"after", kLongest}});
      LeaveLine(hold);
      Release(hold);
    }
    if (!holds_.empty()) timer_.FireBy(holds_.front().since + kLongest);
  }

  const Deps deps_;
  // Held while someone is released, so that nobody is after Close().
  mutable Mutex mutex_;
  std::vector<Cache> caches_ FLYBALL_GUARDED_BY(mutex_);
  Holds holds_ FLYBALL_GUARDED_BY(mutex_);
  std::list<Line> lines_ FLYBALL_GUARDED_BY(mutex_);
  // The last, since they use the others until they are gone.
  OwnWriteMetrics metrics_;
  Timer timer_;
};

CacheGate::CacheGate(Deps deps) : state_(std::make_shared<State>(std::move(deps))) {}
CacheGate::~CacheGate() { state_->Close(); }

void CacheGate::Add(const client::Resource& resource,
                    const std::shared_ptr<cache::InformerCore>& cache) {
  state_->Add(resource, cache);
}

bool CacheGate::Knows(const client::Resource& resource) const { return state_->Knows(resource); }

void CacheGate::WhenSeen(std::vector<Write> writes, Release release) {
  state_->WhenSeen(std::move(writes), std::move(release));
}

std::size_t CacheGate::waiting() const { return state_->waiting(); }

}  // namespace flyball::runtime
