#include "flyball/cache/delta_queue.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "flyball/api/object_key.h"

namespace flyball::cache {
namespace {

using Kind = Delta::Kind;

/// What is left of two changes of one object that follow each other.
enum class Folded : std::uint8_t { kBoth, kOne, kNone };

Folded FoldInto(Delta& first, Delta& second) {
  if (first.kind == Kind::kDeleted) return Folded::kBoth;  // then another of that name came
  if (second.kind == Kind::kDeleted) {
    if (first.kind == Kind::kAdded) return Folded::kNone;
    // The reader never hears of what the update brought. Where only names are kept, updates have no
    // old objects.
    if (first.old) second.old = std::move(first.old);
    first = std::move(second);
    return Folded::kOne;
  }
  first.now = std::move(second.now);  // an addition stays one, an update keeps what it began with
  return Folded::kOne;
}

}  // namespace

void DeltaQueue::Push(Delta delta) {
  deltas_.push_back(std::move(delta));
  if (deltas_.size() > fold_above_) Fold();
}

std::optional<Delta> DeltaQueue::Pop() {
  if (deltas_.empty()) return std::nullopt;
  Delta delta = std::move(deltas_.front());
  deltas_.pop_front();
  return delta;
}

/// Runs each time the queue has doubled, so that a change costs the same however many there are.
void DeltaQueue::Fold() {
  std::deque<Delta> kept;
  std::unordered_map<api::ObjectKey, Delta*> last;  // kept, by object
  for (Delta& delta : deltas_) {
    if (delta.kind == Kind::kInitialEnd) {
      kept.push_back(std::move(delta));
      continue;
    }
    const api::ObjectIdentity identity =
        accessor_.IdentityOf(delta.now ? delta.now.get() : delta.old.get());
    Delta*& before = last[{std::string(identity.namespace_), std::string(identity.name)}];
    const Folded folded = before == nullptr ? Folded::kBoth : FoldInto(*before, delta);
    if (folded == Folded::kBoth) {
      kept.push_back(std::move(delta));
      before = &kept.back();
    } else if (folded == Folded::kNone) {
      *before = {.kind = Kind::kUpdated};  // a hole, of nothing
      before = nullptr;
    }
  }
  std::erase_if(kept, [](const Delta& delta) {
    return delta.kind != Kind::kInitialEnd && !delta.old && !delta.now;
  });
  deltas_ = std::move(kept);
  fold_above_ = std::max(kFewest, 2 * deltas_.size());
}

}  // namespace flyball::cache
