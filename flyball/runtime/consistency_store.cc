#include "flyball/runtime/consistency_store.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

#include "flyball/api/resource_version.h"
#include "flyball/base/mutex.h"
#include "flyball/runtime/own_write_metrics.h"

namespace flyball::runtime {
namespace {

/// Objects that one question is about, at most: the others' time comes with the next.
constexpr std::size_t kMostObjects = 50;

/// The order in which versions come; before all of them, those of what is not waited for by
/// version.
struct ByVersion {
  bool operator()(const std::string& a, const std::string& b) const {
    if (a.empty() || b.empty()) return a.empty() && !b.empty();
    return api::CompareResourceVersions(a, b) == std::strong_ordering::less;
  }
};

bool IsAmbiguous(const Write& write) { return write.kind == Write::Kind::kAmbiguous; }

}  // namespace

/// A hold waits for one write at a time, among the waiters of that write's resource. So the cost of
/// a cache's progress grows with the holds that it releases, and not with those that wait.
///
/// Shared with the callbacks of the caches, which may be called once more after the
/// ConsistencyStore is gone, and with questions.
class ConsistencyStore::State : public std::enable_shared_from_this<State> {
 public:
  explicit State(Deps deps)
      : deps_(std::move(deps)), timer_(deps_.timers, [this] { AskAboutOld(); }) {
    if (deps_.metrics == nullptr) return;
    metrics_ = OwnWriteMetrics(
        *deps_.metrics, deps_.controller, [this] { return static_cast<double>(waiting()); },
        [this] { return OldestAge().count(); });
  }

  void Add(const client::Resource& resource, const std::shared_ptr<cache::InformerCore>& cache) {
    {
      MutexLock lock(mutex_);
      caches_.push_back({resource, cache, {}, {}});
    }
    // Told of first, and looked at then: what it reaches between the two is not missed.
    const std::string version = cache->OnProgress(
        [weak = weak_from_this(), its = cache.get()](const std::string& reached, bool replaced) {
          if (const auto self = weak.lock()) self->Progress(its, reached, replaced);
        });
    MutexLock lock(mutex_);
    for (Cache& known : caches_) {
      if (known.core == cache && known.version.empty()) known.version = version;
    }
    ReleaseObserved(resource);
  }

  bool Tracks(const client::Resource& resource) const {
    MutexLock lock(mutex_);
    return std::ranges::any_of(caches_,
                               [&](const Cache& cache) { return cache.resource == resource; });
  }

  void WhenObserved(std::vector<Write> writes, Release release) {
    const SteadyTime now = deps_.timers.clock().SteadyNow();
    bool missed = false;
    {
      MutexLock lock(mutex_);
      DropObserved(writes, missed);
      if (!writes.empty()) {
        SteadyTime settled = now;
        for (const Write& write : writes) {
          if (!IsAmbiguous(write) || write.unsettled_for.count() == 0) continue;
          settled = std::max(settled, now + write.unsettled_for + kSettleMargin);
        }
        const bool doubtful = std::ranges::any_of(writes, IsAmbiguous);
        holds_.push_back({.unobserved = std::move(writes),
                          .since = now,
                          .settled = settled,
                          .ask_at = doubtful ? now : now + kFirstQuestion,
                          .release = std::move(release),
                          .missed = missed});
        Enqueue(std::prev(holds_.end()));
        if (!stop_.stop_requested()) timer_.FireBy(holds_.back().due());
        return;
      }
    }
    release({.missed = missed});
  }

  /// Whoever waits is not told any more, and may be gone.
  void Close() {
    stop_.request_stop();
    {
      // Nobody sets the timer after this.
      const MutexLock lock(mutex_);
    }
    timer_.Cancel();
    MutexLock lock(mutex_);
    holds_.clear();
    in_doubt_ = 0;
    for (Waiters& waiters : waiters_) waiters.holds.clear();
    if (questions_ == 0) return;
    deps_.executor.clock().Wait(lock, answered_,
                                [this]() FLYBALL_REQUIRES(mutex_) { return questions_ == 0; });
  }

  std::size_t waiting() const {
    MutexLock lock(mutex_);
    return holds_.size();
  }

 private:
  struct Cache {
    client::Resource resource;
    std::shared_ptr<cache::InformerCore> core;
    std::string version;      // what it has got to
    std::string relisted_at;  // what it had got to when it last read all anew; empty: it has not
  };
  struct Hold;
  using Holds = std::list<Hold>;  // the oldest first
  /// The holds that wait for a write to one resource, by version; and what was asked about them.
  struct Waiters {
    client::Resource resource;
    std::multimap<std::string, Holds::iterator, ByVersion> holds = {};
    bool asks = false;
    int not_served = 0;  // answers in a row that said so
    std::optional<Error> problem = {};
    std::optional<SteadyTime> logged_at = {};
  };
  struct Hold {
    std::vector<Write> unobserved;  // the last is what is waited for
    SteadyTime since;
    SteadyTime settled;  // no ambiguous one among them acts after this
    SteadyTime ask_at;
    std::chrono::nanoseconds pause = kFirstQuestion;
    Release release;
    bool missed = false;
    Waiters* waiters = nullptr;  // the last ones, once it is among none
    decltype(Waiters::holds)::iterator place = {};

    const Write& write() const { return unobserved.back(); }
    SteadyTime due() const { return IsAmbiguous(write()) ? std::max(ask_at, settled) : ask_at; }
  };
  /// What is to be found out about the holds of a resource.
  struct Question {
    SteadyTime asked_at;
    std::vector<std::shared_ptr<cache::InformerCore>> cores = {};
    bool version = false;             // for writes whose fate is unknown
    std::vector<Write> objects = {};  // for others
    bool empty() const { return !version && objects.empty(); }
  };
  struct Answer {
    Result<> trouble = {};
    std::string version = {};
    std::vector<Write> shown = {};
  };
  /// A task that asks. Its end is noted also where it is dropped before it has run.
  class Asking {
   public:
    Asking(std::shared_ptr<State> state, Waiters& waiters)
        : state_(std::move(state)), waiters_(&waiters) {}
    Asking(Asking&&) noexcept = default;
    Asking& operator=(Asking&&) = delete;
    ~Asking() {
      if (state_ != nullptr) state_->Asked(*waiters_);
    }
    void Run() {
      state_->Ask(*waiters_);
      state_->AskAboutOld();
    }

   private:
    std::shared_ptr<State> state_;
    Waiters* waiters_;
  };

  /// A cache has got further. Called inline, as its inline handlers are: everything before
  /// `version` is in its store.
  void Progress(const cache::InformerCore* core, const std::string& version, bool replaced) {
    MutexLock lock(mutex_);
    for (Cache& cache : caches_) {
      if (cache.core.get() != core) continue;
      // Something older than what was there: etcd was restored, and what was written is gone.
      const auto order = api::CompareResourceVersions(version, cache.version);
      if (replaced && order == std::strong_ordering::less) Forget(cache.resource);
      // The first time it has shown nothing yet that it could pass over.
      if (replaced && !cache.version.empty()) cache.relisted_at = version;
      cache.version = version;
      ReleaseObserved(cache.resource);
    }
  }

  void ReleaseObserved(const client::Resource& resource) FLYBALL_REQUIRES(mutex_) {
    for (const Holds::iterator hold : ObservedBy(WaitersFor(resource))) {
      Dequeue(*hold);
      GoOn(hold);
    }
  }

  /// The holds of a resource whose write is observed.
  std::vector<Holds::iterator> ObservedBy(const Waiters& waiters) const FLYBALL_REQUIRES(mutex_) {
    std::vector<Holds::iterator> observed;
    for (const auto& [version, hold] : waiters.holds) {
      if (IsObserved(hold->write())) {
        observed.push_back(hold);
      } else if (!version.empty()) {
        break;  // later versions are not observed either
      }
    }
    return observed;
  }

  Waiters& WaitersFor(const client::Resource& resource) FLYBALL_REQUIRES(mutex_) {
    for (Waiters& waiters : waiters_) {
      if (waiters.resource == resource) return waiters;
    }
    return waiters_.emplace_back(resource);
  }

  void Enqueue(Holds::iterator hold) FLYBALL_REQUIRES(mutex_) {
    const Write& write = hold->write();
    const bool by_version = write.kind == Write::Kind::kStored;
    if (IsAmbiguous(write)) ++in_doubt_;
    hold->waiters = &WaitersFor(write.resource);
    hold->place =
        hold->waiters->holds.emplace(by_version ? write.resource_version : std::string(), hold);
  }

  void Dequeue(const Hold& hold) FLYBALL_REQUIRES(mutex_) {
    if (IsAmbiguous(hold.write())) --in_doubt_;
    hold.waiters->holds.erase(hold.place);
  }

  /// Releases a hold that is among no waiters, or has it wait for its next write.
  void GoOn(Holds::iterator hold) FLYBALL_REQUIRES(mutex_) {
    DropObserved(hold->unobserved, hold->missed);
    if (!hold->unobserved.empty()) return Enqueue(hold);
    Release(*hold);
    holds_.erase(hold);
  }

  void DropObserved(std::vector<Write>& writes, bool& missed) const FLYBALL_REQUIRES(mutex_) {
    std::erase_if(writes, [&](const Write& write) FLYBALL_REQUIRES(mutex_) {
      const bool observed = IsObserved(write);
      missed = missed || (observed && MissedByRelist(write));
      return observed;
    });
  }

  void Release(const Hold& hold) const FLYBALL_REQUIRES(mutex_) {
    const std::chrono::duration<double> held = deps_.timers.clock().SteadyNow() - hold.since;
    metrics_.held.Observe(held.count());
    hold.release({.missed = hold.missed, .waited_for = &hold.waiters->resource});
  }

  /// No hold waits for this resource any more.
  void Forget(const client::Resource& resource) FLYBALL_REQUIRES(mutex_) {
    for (auto hold = holds_.begin(); hold != holds_.end();) {
      const auto next = std::next(hold);
      Dequeue(*hold);
      const auto lost = std::erase_if(
          hold->unobserved, [&](const Write& write) { return write.resource == resource; });
      hold->missed = hold->missed || lost > 0;
      GoOn(hold);
      hold = next;
    }
  }

  bool IsObserved(const Write& write) const FLYBALL_REQUIRES(mutex_) {
    return std::ranges::all_of(caches_, [&](const Cache& cache) {
      return cache.resource != write.resource || IsObservedBy(cache, write);
    });
  }

  /// Whether an observed write is observed because of a relist. A deletion is never missed: the
  /// object that is gone was there.
  bool MissedByRelist(const Write& write) const FLYBALL_REQUIRES(mutex_) {
    return write.kind == Write::Kind::kStored &&
           std::ranges::any_of(caches_, [&](const Cache& cache) {
             if (cache.resource != write.resource || cache.relisted_at.empty()) return false;
             const auto order =
                 api::CompareResourceVersions(cache.relisted_at, write.resource_version);
             return order == std::strong_ordering::greater || order == std::strong_ordering::equal;
           });
  }

  static bool IsObservedBy(const Cache& cache, const Write& write) {
    if (write.kind == Write::Kind::kStored) {
      // What is not a number is not waited for.
      return api::CompareResourceVersions(cache.version, write.resource_version) !=
             std::strong_ordering::less;
    }
    if (IsAmbiguous(write) && write.uid.empty()) return false;
    const auto shown = cache.core->Find(write.key);
    if (write.kind == Write::Kind::kDeleted || IsAmbiguous(write)) {
      return !shown || shown->uid != write.uid || shown->terminating;
    }
    if (write.uid.empty()) return shown.has_value();
    if (!shown || shown->uid != write.uid) return true;
    // What the cache shows may be older than what was refused, which then was read elsewhere.
    return !write.resource_version.empty() &&
           api::CompareResourceVersions(shown->resource_version, write.resource_version) !=
               std::strong_ordering::less &&
           shown->resource_version != write.resource_version;
  }

  std::chrono::duration<double> OldestAge() const {
    MutexLock lock(mutex_);
    if (holds_.empty()) return {};
    return deps_.timers.clock().SteadyNow() - holds_.front().since;
  }

  /// Starts what is to be asked by now.
  void AskAboutOld() {
    std::vector<Waiters*> due;
    {
      MutexLock lock(mutex_);
      due = TakeDue();
    }
    for (Waiters* const waiters : due) {
      deps_.executor.Start(
          "consistency/" + waiters->resource.QualifiedName(),
          [asking = Asking(shared_from_this(), *waiters)]() mutable { asking.Run(); });
    }
  }

  /// The resources of which something is to be asked now, and nothing is; it sets the timer for the
  /// others.
  std::vector<Waiters*> TakeDue() FLYBALL_REQUIRES(mutex_) {
    if (stop_.stop_requested()) return {};
    const SteadyTime now = deps_.timers.clock().SteadyNow();
    std::vector<Waiters*> due;
    std::optional<SteadyTime> next;
    for (const Hold& hold : holds_) {
      const SteadyTime at = hold.due();
      if (at > now) {
        next = std::min(next.value_or(at), at);
      } else if (!std::exchange(hold.waiters->asks, true)) {
        ++questions_;
        due.push_back(hold.waiters);
      }
      // Those that come after it are younger, and have not been asked about.
      if (in_doubt_ == 0 && hold.since + kFirstQuestion > now) break;
    }
    if (next) timer_.FireBy(*next);
    return due;
  }

  void Asked(Waiters& waiters) {
    MutexLock lock(mutex_);
    waiters.asks = false;
    --questions_;
    answered_.NotifyAll();
  }

  void Ask(Waiters& waiters) {
    const Question question = QuestionAbout(waiters);
    if (question.empty() || stop_.stop_requested()) return;
    const Answer answer = AnswerTo(question);
    MutexLock lock(mutex_);
    Take(waiters, question, answer);
    LogLate(waiters);
    waiters.asks = false;
  }

  Question QuestionAbout(Waiters& waiters) {
    MutexLock lock(mutex_);
    Question question{.asked_at = deps_.timers.clock().SteadyNow()};
    for (const Cache& cache : caches_) {
      if (cache.resource == waiters.resource) question.cores.push_back(cache.core);
    }
    for (Hold& hold : holds_) {
      if (hold.waiters != &waiters || hold.due() > question.asked_at) continue;
      const Write& write = hold.write();
      if (IsAmbiguous(write)) {
        question.version = true;
      } else if (!write.key.name.empty()) {
        if (question.objects.size() == kMostObjects) continue;
        question.objects.push_back(write);
      }
      hold.ask_at = question.asked_at + hold.pause;
      hold.pause = std::min<std::chrono::nanoseconds>(2 * hold.pause, kLongestPause);
    }
    return question;
  }

  Answer AnswerTo(const Question& question) const {
    const std::stop_token stop = stop_.get_token();
    Answer answer;
    if (question.version) {
      auto version = question.cores.front()->AskVersion(stop);
      if (!version) return {.trouble = std::unexpected(version.error())};
      answer.version = *std::move(version);
    }
    for (const Write& write : question.objects) {
      bool shown = true;
      for (const auto& core : question.cores) {
        const auto by_this = core->AskWhetherShown(write.key, stop);
        if (!by_this) {
          answer.trouble = std::unexpected(by_this.error());
          return answer;
        }
        shown = shown && *by_this;
      }
      if (shown) answer.shown.push_back(write);
    }
    return answer;
  }

  void Take(Waiters& waiters, const Question& question, const Answer& answer)
      FLYBALL_REQUIRES(mutex_) {
    waiters.problem = answer.trouble ? std::nullopt : std::optional(answer.trouble.error());
    const bool not_served = waiters.problem && waiters.problem->code() == ErrorCode::kNotServed &&
                            std::ranges::all_of(question.cores, [](const auto& core) {
                              const auto problem = core->state().problem;
                              return problem && problem->code() == ErrorCode::kNotServed;
                            });
    waiters.not_served = not_served ? waiters.not_served + 1 : 0;
    if (waiters.not_served > 1) return Forget(waiters.resource);
    for (auto hold = holds_.begin(); hold != holds_.end();) {
      const auto next = std::next(hold);
      if (hold->waiters == &waiters) TakeFor(hold, question, answer);
      hold = next;
    }
  }

  void TakeFor(Holds::iterator hold, const Question& question, const Answer& answer)
      FLYBALL_REQUIRES(mutex_) {
    if (IsAmbiguous(hold->write())) {
      if (answer.version.empty() || hold->settled > question.asked_at) return;
      Dequeue(*hold);
      for (Write& write : hold->unobserved) {
        if (!IsAmbiguous(write) || write.resource != hold->waiters->resource) continue;
        write.kind = Write::Kind::kStored;
        write.resource_version = answer.version;
      }
    } else if (std::ranges::find(answer.shown, hold->write()) != answer.shown.end()) {
      Dequeue(*hold);
      hold->unobserved.pop_back();
      hold->missed = true;
    } else {
      return;
    }
    GoOn(hold);
  }

  void LogLate(Waiters& waiters) FLYBALL_REQUIRES(mutex_) {
    const SteadyTime now = deps_.timers.clock().SteadyNow();
    const auto oldest = std::ranges::find(holds_, &waiters, &Hold::waiters);
    if (oldest == holds_.end() || now - oldest->since < kLate) return;
    if (waiters.logged_at && now - *waiters.logged_at < kLate) return;
    waiters.logged_at = now;
    const Write& write = oldest->write();
    deps_.log.Error(waiters.problem.value_or(
                        Error(ErrorCode::kTimeout,
                              "the watch brings nothing: look for a proxy that holds it back, "
                              "and at the API server; a restart of this process lists anew")),
                    "Cache does not show own write, keys are held",
                    {{"controller", deps_.controller},
                     {"resource", write.resource.QualifiedName()},
                     {"object", write.key},
                     {"resourceVersion", write.resource_version},
                     {"held", now - oldest->since},
                     {"keys", waiters.holds.size()}});
  }

  const Deps deps_;
  std::stop_source stop_;
  CondVar answered_;
  // Held while someone is released, so that nobody is after Close().
  mutable Mutex mutex_;
  std::vector<Cache> caches_ FLYBALL_GUARDED_BY(mutex_);
  Holds holds_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t in_doubt_ FLYBALL_GUARDED_BY(mutex_) = 0;  // of them, those of ambiguous writes
  std::list<Waiters> waiters_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t questions_ FLYBALL_GUARDED_BY(mutex_) = 0;  // under way
  // The last, since they use the others until they are gone.
  OwnWriteMetrics metrics_;
  Timer timer_;
};

ConsistencyStore::ConsistencyStore(Deps deps) : state_(std::make_shared<State>(std::move(deps))) {}
ConsistencyStore::~ConsistencyStore() { state_->Close(); }

void ConsistencyStore::Add(const client::Resource& resource,
                           const std::shared_ptr<cache::InformerCore>& cache) {
  state_->Add(resource, cache);
}

bool ConsistencyStore::Tracks(const client::Resource& resource) const {
  return state_->Tracks(resource);
}

void ConsistencyStore::WhenObserved(std::vector<Write> writes, Release release) {
  state_->WhenObserved(std::move(writes), std::move(release));
}

std::size_t ConsistencyStore::waiting() const { return state_->waiting(); }

}  // namespace flyball::runtime
