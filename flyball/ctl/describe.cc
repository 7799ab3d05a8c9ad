#include "flyball/ctl/describe.h"

#include <algorithm>
#include <utility>

#include "flyball/api/json_decode.h"
#include "flyball/api/label_selector.h"
#include "flyball/ctl/describe/describers.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"
#include "flyball/ctl/rollout_history.h"

namespace flyball::ctl {
namespace {

using describe::Description;

template <typename T>
Result<T> As(const Json& object) {
  return api::DecodeJson<T>(object.ToString());
}

/// Objects of a kind, all or those that are selected.
template <typename T>
Result<std::vector<T>> ListOf(Cluster& cluster, const std::string& namespace_,
                              const meta::v1::ListOptions& options = {}) {
  FLYBALL_TRY(const auto objects,
              cluster.ListObjects(client::Resource::Of<T>(), namespace_, options));
  std::vector<T> typed;
  for (const Json& object : objects) {
    FLYBALL_TRY(T one, As<T>(object));
    typed.push_back(std::move(one));
  }
  return typed;
}

template <typename SelectorOrNone>
Result<meta::v1::ListOptions> Selecting(const SelectorOrNone& selector) {
  FLYBALL_TRY(const api::Selector parsed, api::Selector::FromMessage(selector));
  meta::v1::ListOptions list;
  list.labelSelector = parsed.ToString();
  return list;
}

Result<> DescribePod(Cluster& cluster, const Json& object, Description& out) {
  FLYBALL_TRY(const auto pod, As<core::v1::Pod>(object));
  describe::AddPod(pod, cluster.clock().WallNow(), out);
  return {};
}

Result<> DescribeDeployment(Cluster& cluster, const Json& object, Description& out) {
  FLYBALL_TRY(const auto deployment, As<apps::v1::Deployment>(object));
  FLYBALL_TRY(const auto list, Selecting(deployment.spec.selector));
  FLYBALL_TRY(auto sets, cluster.ListObjects(client::Resource::Of<apps::v1::ReplicaSet>(),
                                             deployment.metadata.namespace_, list));
  std::vector<apps::v1::ReplicaSet> owned;
  for (const Json& set : ControlledBy(object, std::move(sets))) {
    FLYBALL_TRY(auto typed, As<apps::v1::ReplicaSet>(set));
    owned.push_back(std::move(typed));
  }
  describe::AddDeployment(deployment, owned, out);
  return {};
}

Result<> DescribeReplicaSet(Cluster& cluster, const Json& object, Description& out) {
  FLYBALL_TRY(const auto set, As<apps::v1::ReplicaSet>(object));
  FLYBALL_TRY(const auto list, Selecting(set.spec.selector));
  FLYBALL_TRY(const auto pods, ListOf<core::v1::Pod>(cluster, set.metadata.namespace_, list));
  describe::AddReplicaSet(set, describe::CountPods(pods, set.metadata.uid), out);
  return {};
}

Result<> DescribeJob(Cluster&, const Json& object, Description& out) {
  FLYBALL_TRY(const auto job, As<batch::v1::Job>(object));
  describe::AddJob(job, out);
  return {};
}

Result<> DescribeService(Cluster& cluster, const Json& object, Description& out) {
  FLYBALL_TRY(const auto service, As<core::v1::Service>(object));
  meta::v1::ListOptions list;
  list.labelSelector = "kubernetes.io/service-name=" + service.metadata.name;
  const auto slices =
      ListOf<discovery::v1::EndpointSlice>(cluster, service.metadata.namespace_, list);
  describe::AddService(service, slices.value_or(std::vector<discovery::v1::EndpointSlice>()), out);
  return {};
}

Result<> DescribeConfigMap(Cluster&, const Json& object, Description& out) {
  FLYBALL_TRY(const auto map, As<core::v1::ConfigMap>(object));
  describe::AddConfigMap(map, out);
  return {};
}

Result<> DescribeSecret(Cluster&, const Json& object, Description& out) {
  FLYBALL_TRY(const auto secret, As<core::v1::Secret>(object));
  describe::AddSecret(secret, out);
  return {};
}

Result<> DescribeNamespace(Cluster& cluster, const Json& object, Description& out) {
  FLYBALL_TRY(const auto name_space, As<core::v1::Namespace>(object));
  const std::string& name = name_space.metadata.name;
  FLYBALL_TRY(auto quotas, ListOf<core::v1::ResourceQuota>(cluster, name));
  FLYBALL_TRY(const auto limits, ListOf<core::v1::LimitRange>(cluster, name));
  describe::AddNamespace(name_space, std::move(quotas), limits, out);
  return {};
}

Result<> DescribeNode(Cluster& cluster, const Json& object, Description& out) {
  FLYBALL_TRY(const auto node, As<core::v1::Node>(object));
  describe::NodeSurroundings surroundings;
  const auto lease = cluster.Get(client::Resource::Of<coordination::v1::Lease>(),
                                 {"kube-node-lease", node.metadata.name});
  if (lease) {
    FLYBALL_TRY(surroundings.lease, As<coordination::v1::Lease>(*lease));
  } else {
    surroundings.lease_error = lease.error().message();
  }
  meta::v1::ListOptions list;
  list.fieldSelector =
      "spec.nodeName=" + node.metadata.name + ",status.phase!=Failed,status.phase!=Succeeded";
  auto pods = ListOf<core::v1::Pod>(cluster, "", list);
  // Who may see nodes need not be allowed to see all pods.
  if (!pods && pods.error().code() != ErrorCode::kForbidden) {
    return std::unexpected(pods.error());
  }
  if (pods) surroundings.pods = *std::move(pods);
  describe::AddNode(node, surroundings, cluster.clock().WallNow(), out);
  return {};
}

struct Describer {
  std::string_view group;
  std::string_view kind;
  Result<> (*describe)(Cluster& cluster, const Json& object, Description& out);
  bool has_events = true;
};

constexpr Describer kDescribers[] = {
    {"", "Pod", DescribePod},
    {"", "Service", DescribeService},
    {"", "ConfigMap", DescribeConfigMap},
    {"", "Secret", DescribeSecret, false},
    {"", "Namespace", DescribeNamespace, false},
    {"", "Node", DescribeNode},
    {"apps", "Deployment", DescribeDeployment},
    {"apps", "ReplicaSet", DescribeReplicaSet},
    {"batch", "Job", DescribeJob},
};

class DescribeCommand {
 public:
  DescribeCommand(Cluster& cluster, const DescribeOptions& options)
      : cluster_(cluster), options_(options) {}

  Errors Run() {
    if (options_.selection.empty()) {
      return {UsageError("You must specify the type of resource to describe.")};
    }
    auto selected = Select(cluster_, options_.selection, BareType::kEverything, errors_);
    if (!selected) return {selected.error()};
    std::vector<std::pair<const Selected*, Json>> found;
    for (const Selected& each : *selected) {
      auto object = cluster_.Get(each.resource->resource, each.key);
      if (object) {
        found.emplace_back(&each, *std::move(object));
      } else {
        errors_.push_back(object.error());
      }
    }
    const bool events = options_.show_events.value_or(found.size() == 1 && errors_.empty());
    if (found.empty() && errors_.size() == 1 && options_.selection.words.size() == 2 &&
        errors_.front().code() == ErrorCode::kNotFound) {
      DescribeByPrefix(*selected->front().resource);
    }
    for (const auto& [each, object] : found) Show(*each->resource, object, events, "\n\n");
    if (selected->empty() && errors_.empty()) SayNothingFound();
    return std::move(errors_);
  }

 private:
  /// A name that nothing has may be the beginning of some.
  void DescribeByPrefix(const client::ServedResource& resource) {
    const std::string& prefix = options_.selection.words[1];
    const auto objects =
        cluster_.ListObjects(resource.resource, cluster_.KeyOf(resource, "").namespace_);
    if (!objects) return;
    for (const Json& object : *objects) {
      if (!NameOf(object).starts_with(prefix)) continue;
      errors_.clear();
      Show(resource, object, options_.show_events.value_or(false), "");
      cluster_.console().out << "\n";
    }
  }

  void Show(const client::ServedResource& resource, const Json& object, bool events,
            std::string_view separator) {
    const auto text = TextOf(resource, object, events);
    if (!text) {
      errors_.push_back(text.error());
      return;
    }
    if (std::exchange(shown_, true)) cluster_.console().out << separator;
    cluster_.console().out << *text;
  }

  Result<std::string> TextOf(const client::ServedResource& resource, const Json& object,
                             bool events) {
    const auto* const describer = std::ranges::find_if(kDescribers, [&](const Describer& each) {
      return each.group == resource.resource.group && each.kind == resource.resource.kind;
    });
    const bool known = describer != std::end(kDescribers);
    Description out;
    if (known) {
      FLYBALL_TRY(describer->describe(cluster_, object, out));
    } else {
      describe::AddAnything(object, out);
    }
    if (events && (!known || describer->has_events)) FLYBALL_TRY(AddEvents(object, out));
    return std::move(out).Take();
  }

  Result<> AddEvents(const Json& object, Description& out) {
    const std::string namespace_ = TextAt(object, {"metadata", "namespace"});
    const std::string kind = TextAt(object, {"kind"});
    const auto with_uid = [&](const std::string& uid) {
      meta::v1::ListOptions list;
      list.fieldSelector =
          "involvedObject.name=" + NameOf(object) + ",involvedObject.namespace=" + namespace_;
      // PARITY: of pods, whatever kind the event says; those of a node may be in any namespace.
      if (kind != "Pod") list.fieldSelector += ",involvedObject.kind=" + kind;
      list.fieldSelector += ",involvedObject.uid=" + uid;
      return ListOf<core::v1::Event>(cluster_, namespace_, list);
    };
    FLYBALL_TRY(auto events, with_uid(TextAt(object, {"metadata", "uid"})));
    if (kind == "Node") {
      // A kubelet knows its node by name, and names it in place of the uid.
      FLYBALL_TRY(auto more, with_uid(NameOf(object)));
      std::ranges::move(more, std::back_inserter(events));
    }
    out.Events(std::move(events), cluster_.clock().WallNow());
    return {};
  }

  void SayNothingFound() const {
    cluster_.console().err << (options_.selection.all_namespaces
                                   ? "No resources found"
                                   : "No resources found in " + cluster_.namespace_() +
                                         " namespace.")
                           << "\n";
  }

  Cluster& cluster_;
  const DescribeOptions& options_;
  Errors errors_;
  bool shown_ = false;
};

}  // namespace

Errors Describe(Cluster& cluster, const DescribeOptions& options) {
  return DescribeCommand(cluster, options).Run();
}

}  // namespace flyball::ctl
