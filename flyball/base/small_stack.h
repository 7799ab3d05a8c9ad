#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>

#include "flyball/base/check.h"
#include "flyball/base/sanitizers.h"

/// For tests of what calls itself once for each level of its input. Threads of an Executor have
/// what `ulimit -s` says, 8 MiB by default; here it is a small part of that, so that the deepest
/// input that is taken leaves room for what stands above it on a real stack.
namespace flyball {

inline void RunOnSmallStack(std::function<void()> run) {
#ifdef FLYBALL_SANITIZED
  constexpr std::size_t kStackSize = std::size_t{4} << 20;  // frames are several times as large
#else
  constexpr std::size_t kStackSize = std::size_t{256} << 10;
#endif
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  pthread_t thread{};
  const auto start = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  FLYBALL_CHECK(pthread_create(&thread, &attributes, start, &run) == 0, "no thread for the test");
  pthread_attr_destroy(&attributes);
  pthread_join(thread, nullptr);
}

}  // namespace flyball
