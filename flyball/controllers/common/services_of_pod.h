#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/map.h"
#include "flyball/api/object_key.h"
#include "flyball/api/views.h"
#include "flyball/base/mutex.h"

/// From a pod to the services whose endpoints it is one of, or was.
namespace flyball::controllers::common {

/// What a pod's change may mean to endpoints.
struct PodChange {
  bool endpoint = false;    ///< it is another endpoint than before, or one no more
  bool membership = false;  ///< other services may have it

  friend bool operator==(const PodChange&, const PodChange&) = default;
};
PodChange ChangeBetween(const views::Pod& old, const views::Pod& now);

/// The services of each namespace, every one under one label of its selector: that under which the
/// fewest others are when the service comes. A pod finds all that are under its labels and compares
/// their selectors with them. So the thousand services which share `app=shop` and differ in
/// `component` are each under their component, and cost a pod of one of them no more than that one.
///
/// A pod costs its labels, times a logarithm, and the selectors that it compares. Whoever makes
/// those many makes them so for the pods of the same namespace only. Tables are trees: no choice of
/// labels makes them slow.
///
/// Told by the handlers of services, which also add those services to their queue: a pod that is
/// looked up a moment too early misses nothing. Any thread.
class ServicesOfPod {
 public:
  /// A service is there, maybe not as it was. One without a selector selects nothing.
  // PARITY: one of type ExternalName is found as others are, though it has no endpoints.
  void Put(const core::v1::Service& service);
  void Remove(const api::ObjectKey& service);

  /// The services that select a pod, in the order of their names.
  std::vector<api::ObjectKey> Of(const views::Pod& pod) const { return Find(pod).services; }
  /// Those whose endpoints a change of the pod may change, in the same order.
  std::vector<api::ObjectKey> ToUpdate(const views::Pod& old, const views::Pod& now) const;

  struct Found {
    std::vector<api::ObjectKey> services;
    std::size_t compared = 0;  ///< selectors, with the labels
  };
  Found Find(const views::Pod& pod) const;

  /// How many labels lead to services, as tests see it: none for what has no selectors any more.
  std::size_t label_count() const;

 private:
  using Labels = api::Map<std::string>;
  using Label = std::pair<std::string_view, std::string_view>;
  struct ByText {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Label(a) < Label(b);
    }
  };
  /// Under a label: the names of services and their selectors, which are those in `services`.
  using Sharers = std::map<std::string_view, const Labels*>;
  using ByLabel = std::map<std::pair<std::string, std::string>, Sharers, ByText>;
  struct Selecting {
    Labels selector;
    ByLabel::iterator under;
  };
  struct Namespace {
    std::map<std::string, Selecting, std::less<>> services;
    ByLabel by_label;
  };
  void RemoveLocked(const api::ObjectKey& service) FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Namespace, std::less<>> namespaces_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::common
