#include "flyball/queue/back_off.h"

namespace flyball::queue {

std::chrono::nanoseconds OwnDelay(const BackOff& back_off, int retries) {
  constexpr int kBits = 62;
  if (retries > kBits || back_off.first.count() > back_off.longest.count() >> retries) {
    return back_off.longest;
  }
  return std::chrono::nanoseconds(back_off.first.count() << retries);
}

}  // namespace flyball::queue
