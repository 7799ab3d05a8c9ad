#include "flyball/sandbox/faults/rule.h"

namespace flyball::sandbox {

bool Rule::Matches(const Asked& asked, std::mt19937_64& dice) {
  if (lifted_ || !requests_.Contain(asked)) return false;
  const int late = ++met_ - share_.after;
  if (late <= 0 || late % share_.every != 0 || count_ >= share_.times) return false;
  if (share_.probability < 1) {
    // Not a distribution of the library's, whose sequences differ between libraries.
    constexpr double kRange = 0x1p64;
    if (static_cast<double>(dice()) >= share_.probability * kRange) return false;
  }
  ++count_;
  return true;
}

}  // namespace flyball::sandbox
