#include "flyball/base/executor.h"

#include <pthread.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "flyball/base/check.h"

namespace flyball {

void Executor::RunToEnd(const std::string& name, Task task) {
  std::string thrown;
  try {
    task();
    return;
  } catch (const std::exception& e) {
    thrown = e.what();
  } catch (...) {
    thrown = "not a std::exception";
  }
  FLYBALL_CHECK(false, "an exception left the task " + name + ": " + thrown);
}

void SetThreadName(std::string_view name) {
  constexpr std::size_t kLongest = 15;
  const std::string kept(name.substr(0, kLongest));
  pthread_setname_np(pthread_self(), kept.c_str());
}

/// The threads. A worker is in `workers_` from its start to its end, in `idle_` while it has no
/// job, and then in `ended_` until somebody joins it: a thread cannot join itself.
class ElasticExecutor::Pool {
 public:
  explicit Pool(Options options)
      : clock_(options.idle_clock != nullptr ? *options.idle_clock : real_clock_),
        idle_timeout_(options.idle_timeout),
        make_thread_(std::move(options.make_thread)) {
    if (make_thread_ == nullptr) {
      make_thread_ = [](std::function<void()> run) { return std::thread(std::move(run)); };
    }
  }

  ~Pool() {
    Drain();
    MutexLock lock(mutex_);
    stopping_ = true;
    for (const auto& worker : idle_) worker->wake.NotifyAll();
    clock_.Wait(lock, settled_, [this]() FLYBALL_REQUIRES(mutex_) { return workers_.empty(); });
    lock.Unlock();
    JoinEnded();
  }

  void Start(std::string name, Task task) FLYBALL_EXCLUDES(mutex_) {
    JoinEnded();
    MutexLock lock(mutex_);
    FLYBALL_CHECK(!stopping_, "a task was started on an executor that is being destroyed: " + name);
    ++unfinished_;
    Job job{std::move(name), std::move(task)};
    if (idle_.empty()) {
      waiting_.push_back({std::move(job), clock_.SteadyNow()});
      Spawn();
      return;
    }
    const std::shared_ptr<Worker> worker = idle_.back();
    idle_.pop_back();
    worker->job = std::move(job);
    lock.Unlock();  // so that it wakes to a free lock
    worker->wake.NotifyOne();
  }

  void Drain() FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto self = std::this_thread::get_id();
    for (const auto& worker : workers_) {
      FLYBALL_CHECK(worker->thread.get_id() != self, "a task cannot wait for all tasks to end");
    }
    clock_.Wait(lock, settled_, [this]() FLYBALL_REQUIRES(mutex_) { return unfinished_ == 0; });
  }

  std::size_t threads() const FLYBALL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return workers_.size();
  }

 private:
  struct Job {
    std::string name;
    Task task;
  };
  /// A job for which there was no thread.
  struct WaitingJob {
    Job job;
    SteadyTime since;
  };
  struct Worker {
    std::thread thread;
    Job job;  // empty while idle
    CondVar wake;
  };

  /// Makes a thread for each job that waits for one, as far as there are threads to be had.
  void Spawn() FLYBALL_REQUIRES(mutex_) {
    while (!waiting_.empty()) {
      const auto worker = std::make_shared<Worker>();
      try {
        worker->thread = make_thread_([this, worker] { Work(worker); });
      } catch (const std::system_error& e) {
        const WaitingJob& longest = waiting_.front();
        const bool may_wait =
            !workers_.empty() && clock_.SteadyNow() - longest.since < kLongestWait;
        FLYBALL_CHECK(may_wait, "no thread for the task " + longest.job.name + ": " + e.what());
        return;
      }
      workers_.push_back(worker);
      worker->job = TakeWaiting();
    }
  }

  Job TakeWaiting() FLYBALL_REQUIRES(mutex_) {
    Job job = std::move(waiting_.front().job);
    waiting_.pop_front();
    return job;
  }

  void Work(const std::shared_ptr<Worker>& worker) FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    do {
      Job job = std::exchange(worker->job, Job());
      lock.Unlock();
      SetThreadName(job.name);
      RunToEnd(job.name, std::move(job.task));
      SetThreadName("flyball-idle");
      lock.Lock();
      if (--unfinished_ == 0) settled_.NotifyAll();
    } while (AwaitJob(lock, worker));
    ended_.push_back(std::move(worker->thread));
    std::erase(workers_, worker);
    if (workers_.empty()) settled_.NotifyAll();
  }

  /// False when the worker's time is up.
  bool AwaitJob(MutexLock& lock, const std::shared_ptr<Worker>& worker) FLYBALL_REQUIRES(mutex_) {
    if (!waiting_.empty()) {
      worker->job = TakeWaiting();
      return true;
    }
    idle_.push_back(worker);
    const SteadyTime until = clock_.DeadlineAfter(idle_timeout_);
    const bool woken = clock_.WaitUntil(lock, worker->wake, until, [&]() FLYBALL_REQUIRES(mutex_) {
      return worker->job.task != nullptr || stopping_;
    });
    if (woken && worker->job.task != nullptr) return true;
    std::erase(idle_, worker);
    return false;
  }

  void JoinEnded() FLYBALL_EXCLUDES(mutex_) {
    std::vector<std::thread> ended;
    {
      const MutexLock lock(mutex_);
      ended.swap(ended_);
    }
    for (std::thread& thread : ended) thread.join();
  }

  RealClock real_clock_;
  Clock& clock_;
  const std::chrono::nanoseconds idle_timeout_;
  std::function<std::thread(std::function<void()> run)> make_thread_;

  mutable Mutex mutex_;
  CondVar settled_;  // no task is unfinished, or no worker is left
  // Shared with who wakes them, who may come to it late.
  std::vector<std::shared_ptr<Worker>> workers_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Worker>> idle_ FLYBALL_GUARDED_BY(mutex_);  // who went last is last
  std::deque<WaitingJob> waiting_ FLYBALL_GUARDED_BY(mutex_);  // empty while a worker is idle
  std::vector<std::thread> ended_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t unfinished_ FLYBALL_GUARDED_BY(mutex_) = 0;
  bool stopping_ FLYBALL_GUARDED_BY(mutex_) = false;
};

ElasticExecutor::ElasticExecutor(Clock& clock, Options options)
    : clock_(clock), pool_(std::make_unique<Pool>(std::move(options))) {}

ElasticExecutor::~ElasticExecutor() = default;

void ElasticExecutor::Start(std::string name, Task task) {
  FLYBALL_CHECK(task != nullptr, "an empty task: " + name);
  pool_->Start(std::move(name), std::move(task));
}

void ElasticExecutor::Drain() { pool_->Drain(); }

std::size_t ElasticExecutor::threads() const { return pool_->threads(); }

}  // namespace flyball
