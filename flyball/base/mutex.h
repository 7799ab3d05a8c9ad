#pragma once

#include <mutex>

/// Clang checks these when it analyses the tree (-Wthread-safety); to g++ they are nothing.
#if defined(__clang__)
#define FLYBALL_THREAD_ANNOTATION_(x) __attribute__((x))
#else
#define FLYBALL_THREAD_ANNOTATION_(x)
#endif

/// The member may be touched only with the mutex held.
#define FLYBALL_GUARDED_BY(mutex) FLYBALL_THREAD_ANNOTATION_(guarded_by(mutex))
/// The caller must hold the mutex. Goes on lambdas too: `[this]() FLYBALL_REQUIRES(mutex_) {...}`.
#define FLYBALL_REQUIRES(...) FLYBALL_THREAD_ANNOTATION_(requires_capability(__VA_ARGS__))
/// The caller must not hold the mutex.
#define FLYBALL_EXCLUDES(...) FLYBALL_THREAD_ANNOTATION_(locks_excluded(__VA_ARGS__))
/// For what the analysis cannot follow; the line says why.
#define FLYBALL_NO_THREAD_SAFETY_ANALYSIS FLYBALL_THREAD_ANNOTATION_(no_thread_safety_analysis)

#define FLYBALL_CAPABILITY_(name) FLYBALL_THREAD_ANNOTATION_(capability(name))
#define FLYBALL_SCOPED_CAPABILITY_ FLYBALL_THREAD_ANNOTATION_(scoped_lockable)
#define FLYBALL_ACQUIRE_(...) FLYBALL_THREAD_ANNOTATION_(acquire_capability(__VA_ARGS__))
#define FLYBALL_RELEASE_(...) FLYBALL_THREAD_ANNOTATION_(release_capability(__VA_ARGS__))

namespace flyball {

/// std::mutex, with what clang needs to check FLYBALL_GUARDED_BY, and a count of the mutexes a
/// thread holds, so that tests catch a thread that waits for something while it holds one.
/// Locked through MutexLock only.
class FLYBALL_CAPABILITY_("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  /// How many Mutexes the calling thread holds.
  static int HeldByThisThread() { return held_ - kNone; }

 private:
  friend class MutexLock;

  void Lock() FLYBALL_ACQUIRE_() {
    mutex_.lock();
    ++held_;
  }
  void Unlock() FLYBALL_RELEASE_() {
    --held_;
    mutex_.unlock();
  }

  // Not zero, so that the counter is initialised data: where a program's only thread-local data is
  // zeros, mold 1.10 (Debian 12) lays it out such that the program may fail to load.
  static constexpr int kNone = 1;
  static inline thread_local constinit int held_ = kNone;
  std::mutex mutex_;
};

/// Holds a mutex to the end of the scope. Unlock() and Lock() open a gap in it.
class FLYBALL_SCOPED_CAPABILITY_ MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FLYBALL_ACQUIRE_(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() FLYBALL_RELEASE_() {
    if (held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() FLYBALL_RELEASE_() {
    held_ = false;
    mutex_.Unlock();
  }
  void Lock() FLYBALL_ACQUIRE_() {
    mutex_.Lock();
    held_ = true;
  }
  bool held() const { return held_; }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace flyball
