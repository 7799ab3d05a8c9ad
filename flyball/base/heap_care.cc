#include "flyball/base/heap_care.h"

#include <malloc.h>

#include <algorithm>

namespace flyball {

void ShareOneHeap() { mallopt(M_ARENA_MAX, 1); }

HeapTrimmer::HeapTrimmer(Timers& timers)
    : clock_(timers.clock()), timer_(timers, [this] { Trim(); }) {
  timer_.FireBy(clock_.SteadyNow() + kInterval);
}

void HeapTrimmer::Trim() {
  const SteadyTime begin = clock_.SteadyNow();
  malloc_trim(0);
  const SteadyTime end = clock_.SteadyNow();
  timer_.FireBy(end + std::max(kInterval, (end - begin) * kPart));
}

}  // namespace flyball
