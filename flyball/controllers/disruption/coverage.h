#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/label_selector.h"
#include "flyball/api/object_key.h"
#include "flyball/api/policy/v1.h"
#include "flyball/api/views.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/controllers/disruption/plan.h"

namespace flyball::controllers::disruption {

/// Which budget covers which pods, as an index: to find a pod's budgets takes a look at those of
/// its namespace, whose selectors were read once and are matched when the pod's labels change, and
/// to find a budget's pods takes as long as they are many. Only when a budget comes, or selects
/// otherwise, all pods of its namespace are looked at. A store's index would have every pod under
/// each of its labels, and most are in nobody's budget.
///
/// Told by the caches' handlers, right after the caches themselves have changed; whoever tells it
/// adds the budgets that it names to a queue.
///
/// Any thread.
class Coverage {
 public:
  /// The pods of a namespace that a selector matches.
  using Select = std::function<std::vector<PodRef>(std::string_view namespace_,
                                                   const api::Selector& selector)>;

  explicit Coverage(Select select) : select_(std::move(select)) {}

  /// A budget is there, maybe not as it was.
  void Put(const policy::v1::PodDisruptionBudget& budget);
  void Remove(const api::ObjectKey& budget);

  /// Budgets by name.
  struct Covering {
    std::vector<std::string> now;
    std::vector<std::string> no_longer;  ///< until now

    friend bool operator==(const Covering&, const Covering&) = default;
  };
  /// A pod is there, maybe not as it was. `old` is what this was told of the pod last, null if that
  /// is not known: selectors are matched only if the labels are not what they were.
  Covering Put(const PodRef& pod, const views::Pod* old = nullptr);
  /// Names those that covered it.
  std::vector<std::string> Remove(const views::Pod& pod);

  /// The pods that a budget covers, in the order of their names. An error if its selector cannot be
  /// read; none of a budget that is not there.
  Result<std::vector<PodRef>> PodsOf(const api::ObjectKey& budget) const;

  /// How many selectors were matched with labels of pods that were put here, as tests see it.
  std::size_t matched() const;

 private:
  using LabelSelector = decltype(policy::v1::PodDisruptionBudgetSpec::selector);
  struct ByName {
    using is_transparent = void;
    static std::string_view NameOf(std::string_view name) { return name; }
    static std::string_view NameOf(const PodRef& pod) { return pod->metadata.name; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return NameOf(a) < NameOf(b);
    }
  };
  using Pods = std::set<PodRef, ByName>;
  struct Budget {
    LabelSelector written;
    Result<api::Selector> selector = api::Selector::Nothing();
    Pods pods = {};

    bool Selects(const views::Pod& pod) const {
      return selector && selector->Matches(pod.metadata.labels);
    }
  };
  using Budgets = std::map<std::string, Budget, std::less<>>;

  const Select select_;
  mutable Mutex mutex_;
  std::map<std::string, Budgets, std::less<>> budgets_ FLYBALL_GUARDED_BY(mutex_);  // by namespace
  std::size_t matched_ FLYBALL_GUARDED_BY(mutex_) = 0;
};

}  // namespace flyball::controllers::disruption
