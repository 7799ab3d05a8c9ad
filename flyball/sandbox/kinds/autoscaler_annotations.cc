#include "flyball/sandbox/kinds/autoscaler_annotations.h"

#include <cctype>
#include <optional>
#include <span>

#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/json_writer.h"
#include "flyball/base/check.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using api::JsonWriter;
using autoscaling::v2::CrossVersionObjectReference;
using autoscaling::v2::HorizontalPodAutoscaler;
using autoscaling::v2::HorizontalPodAutoscalerBehavior;
using autoscaling::v2::HorizontalPodAutoscalerCondition;
using autoscaling::v2::HPAScalingPolicy;
using autoscaling::v2::HPAScalingRules;
using autoscaling::v2::MetricSpec;
using autoscaling::v2::MetricStatus;
using meta::v1::LabelSelector;

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
/// Upstream has names for these two, and never writes them.
constexpr std::string_view kUnused[] = {"autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                        "autoscaling.alpha.kubernetes.io/scale-up-tolerance"};

/// What a member of v1 is; all but the optional ones are always there.
enum class Shape : std::uint8_t { kText, kAmount, kReference, kOptional, kOptionalSelector };
using enum Shape;

/// A member of v1's form and where it is in v2's, two steps at most.
struct Member {
  std::string_view flat;
  std::string_view path;
  Shape shape;
};

constexpr Member kObjectTarget[] = {{"target", "describedObject", kReference},
                                    {"metricName", "metric.name", kText},
                                    {"targetValue", "target.value", kAmount},
                                    {"selector", "metric.selector", kOptionalSelector},
                                    {"averageValue", "target.averageValue", kOptional}};
constexpr Member kPodsTarget[] = {{"metricName", "metric.name", kText},
                                  {"targetAverageValue", "target.averageValue", kAmount},
                                  {"selector", "metric.selector", kOptionalSelector}};
constexpr Member kResourceTarget[] = {
    {"name", "name", kText},
    {"targetAverageUtilization", "target.averageUtilization", kOptional},
    {"targetAverageValue", "target.averageValue", kOptional}};
constexpr Member kContainerTarget[] = {
    {"name", "name", kText},
    {"targetAverageUtilization", "target.averageUtilization", kOptional},
    {"targetAverageValue", "target.averageValue", kOptional},
    {"container", "container", kText}};
constexpr Member kExternalTarget[] = {{"metricName", "metric.name", kText},
                                      {"metricSelector", "metric.selector", kOptionalSelector},
                                      {"targetValue", "target.value", kOptional},
                                      {"targetAverageValue", "target.averageValue", kOptional}};

constexpr Member kObjectCurrent[] = {{"target", "describedObject", kReference},
                                     {"metricName", "metric.name", kText},
                                     {"currentValue", "current.value", kAmount},
                                     {"selector", "metric.selector", kOptionalSelector},
                                     {"averageValue", "current.averageValue", kOptional}};
constexpr Member kPodsCurrent[] = {{"metricName", "metric.name", kText},
                                   {"currentAverageValue", "current.averageValue", kAmount},
                                   {"selector", "metric.selector", kOptionalSelector}};
constexpr Member kResourceCurrent[] = {
    {"name", "name", kText},
    {"currentAverageUtilization", "current.averageUtilization", kOptional},
    {"currentAverageValue", "current.averageValue", kAmount}};
constexpr Member kContainerCurrent[] = {
    {"name", "name", kText},
    {"currentAverageUtilization", "current.averageUtilization", kOptional},
    {"currentAverageValue", "current.averageValue", kAmount},
    {"container", "container", kText}};
constexpr Member kExternalCurrent[] = {{"metricName", "metric.name", kText},
                                       {"metricSelector", "metric.selector", kOptionalSelector},
                                       {"currentValue", "current.value", kAmount},
                                       {"currentAverageValue", "current.averageValue", kOptional}};

/// Where a metric comes from, in the order in which Go writes them.
struct Source {
  std::string_view name;
  std::span<const Member> members;
};
constexpr Source kTargets[] = {{"object", kObjectTarget},
                               {"pods", kPodsTarget},
                               {"resource", kResourceTarget},
                               {"containerResource", kContainerTarget},
                               {"external", kExternalTarget}};
constexpr Source kCurrents[] = {{"object", kObjectCurrent},
                                {"pods", kPodsCurrent},
                                {"resource", kResourceCurrent},
                                {"containerResource", kContainerCurrent},
                                {"external", kExternalCurrent}};

/// Null if there is nothing.
const Json* FindAt(const Json& object, std::string_view path) {
  const auto dot = path.find('.');
  const Json* const found = object.Find(path.substr(0, dot));
  if (found == nullptr || found->IsNull()) return nullptr;
  return dot == std::string_view::npos ? found : FindAt(*found, path.substr(dot + 1));
}

void PutAt(Json::Object& object, std::string_view path, Json value) {
  const auto dot = path.find('.');
  Json& member = object[path.substr(0, dot)];
  if (dot == std::string_view::npos) {
    member = std::move(value);
    return;
  }
  if (member.If<Json::Object>() == nullptr) member = Json::Object();
  PutAt(*member.If<Json::Object>(), path.substr(dot + 1), std::move(value));
}

/// A tree has its members in the order of their names, and Go in that of the struct.
template <typename T>
void SendInOrder(const Json* tree, JsonWriter& writer) {
  const auto object = api::DecodeJson<T>(tree == nullptr ? "{}" : tree->ToString());
  FLYBALL_CHECK(object, object.error().Describe());
  const auto sent = api::SendObject(&*object, T::kType, writer);
  FLYBALL_CHECK(sent, sent.error().Describe());
}

void WriteSource(const Json& source, std::span<const Member> members, JsonWriter& writer) {
  writer.BeginObject();
  for (const Member& member : members) {
    const Json* const value = FindAt(source, member.path);
    const bool optional = member.shape == kOptional || member.shape == kOptionalSelector;
    if (value == nullptr && optional) continue;
    writer.Key(member.flat);
    if (member.shape == kReference) {
      SendInOrder<CrossVersionObjectReference>(value, writer);
    } else if (member.shape == kOptionalSelector) {
      SendInOrder<LabelSelector>(value, writer);
    } else if (value != nullptr) {
      value->Send(writer);
    } else {
      writer.String(member.shape == kAmount ? "0" : "");
    }
  }
  writer.EndObject();
}

template <typename Metric>
void WriteMetric(const Metric& metric, std::span<const Source> sources, JsonWriter& writer) {
  const auto tree = api::ToJson(metric);
  FLYBALL_CHECK(tree, tree.error().Describe());
  writer.BeginObject();
  writer.Key("type");
  writer.String(metric.type);
  for (const Source& source : sources) {
    const Json* const said = FindAt(*tree, source.name);
    if (said == nullptr) continue;
    writer.Key(source.name);
    WriteSource(*said, source.members, writer);
  }
  writer.EndObject();
}

/// v2 says what kind of a target it is; v1 leaves it to what is there.
void NameTarget(std::string_view source, Json::Object& members) {
  Json::Object* const target = members["target"].If<Json::Object>();
  if (target == nullptr) {
    members["target"] = Json::Object{{"type", "AverageValue"}};
    return;
  }
  const bool average = target->contains("averageValue");
  std::string_view type = "AverageValue";
  if (target->contains("averageUtilization")) {
    type = "Utilization";
  } else if (source == "object" ? !average : target->contains("value")) {
    type = "Value";
  }
  // v1 cannot leave it out, and v2 refuses the zero that it then writes.
  if (source == "object" && average && *target->find("value") == Json("0")) target->erase("value");
  target->insert_or_assign("type", type);
}

Json ReadSource(const Json& flat, const Source& source, bool targets) {
  Json::Object members;
  for (const Member& member : source.members) {
    if (const Json* const value = FindAt(flat, member.flat)) {
      PutAt(members, member.path, *value);
    } else if (member.shape == kAmount) {
      PutAt(members, member.path, "0");
    }
  }
  if (targets) NameTarget(source.name, members);
  return members;
}

/// None if the text is not a list of metrics.
template <typename Metric>
std::optional<std::vector<Metric>> ReadMetrics(const std::string& text,
                                               std::span<const Source> sources, bool targets) {
  const auto tree = Json::Parse(text);
  const auto* const list = tree ? tree->If<Json::Array>() : nullptr;
  if (list == nullptr) return std::nullopt;
  std::vector<Metric> metrics;
  for (const Json& flat : *list) {
    Json::Object metric;
    if (const Json* const type = FindAt(flat, "type")) metric["type"] = *type;
    for (const Source& source : sources) {
      const Json* const said = FindAt(flat, source.name);
      if (said != nullptr) metric[source.name] = ReadSource(*said, source, targets);
    }
    auto read = api::DecodeJson<Metric>(Json(std::move(metric)).ToString());
    if (!read) return std::nullopt;
    metrics.push_back(*std::move(read));
  }
  return metrics;
}

template <typename T>
void SendNumber(const std::optional<T>& number, JsonWriter& writer) {
  number ? writer.Number(std::to_string(*number)) : writer.Null();
}

void WritePolicies(const std::vector<HPAScalingPolicy>& policies, JsonWriter& writer) {
  writer.BeginArray();
  for (const HPAScalingPolicy& policy : policies) {
    writer.BeginObject();
    writer.Key("Type");
    writer.String(policy.type);
    writer.Key("Value");
    writer.Number(std::to_string(policy.value));
    writer.Key("PeriodSeconds");
    writer.Number(std::to_string(policy.periodSeconds));
    writer.EndObject();
  }
  writer.EndArray();
}

/// PARITY: Go's own names, and everything that is not there as null.
void WriteRules(const HPAScalingRules& rules, JsonWriter& writer) {
  writer.BeginObject();
  writer.Key("StabilizationWindowSeconds");
  SendNumber(rules.stabilizationWindowSeconds, writer);
  writer.Key("SelectPolicy");
  rules.selectPolicy ? writer.String(*rules.selectPolicy) : writer.Null();
  writer.Key("Policies");
  rules.policies.empty() ? writer.Null() : WritePolicies(rules.policies, writer);
  writer.Key("Tolerance");
  rules.tolerance ? writer.String(rules.tolerance->ToString()) : writer.Null();
  writer.EndObject();
}

std::string BehaviorText(const HorizontalPodAutoscalerBehavior& behavior) {
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject();
  writer.Key("ScaleUp");
  behavior.scaleUp ? WriteRules(*behavior.scaleUp, writer) : writer.Null();
  writer.Key("ScaleDown");
  behavior.scaleDown ? WriteRules(*behavior.scaleDown, writer) : writer.Null();
  writer.EndObject();
  return text;
}

/// Go's names as the API has them. Either is taken, as Go does not look at capitals when it reads.
Json InApiNames(const Json& tree) {
  if (const auto* const list = tree.If<Json::Array>()) {
    Json::Array all;
    for (const Json& each : *list) all.push_back(InApiNames(each));
    return all;
  }
  const auto* const members = tree.If<Json::Object>();
  if (members == nullptr) return tree;
  Json::Object renamed;
  for (const auto& [name, value] : *members) {
    std::string api_name = name;
    if (!name.empty()) api_name[0] = static_cast<char>(std::tolower(name[0]));
    renamed.insert_or_assign(api_name, InApiNames(value));
  }
  return renamed;
}

std::optional<HorizontalPodAutoscalerBehavior> ReadBehavior(const std::string& text) {
  const auto tree = Json::Parse(text);
  if (!tree) return std::nullopt;
  auto behavior = api::DecodeJson<HorizontalPodAutoscalerBehavior>(InApiNames(*tree).ToString());
  if (!behavior || (!behavior->scaleUp && !behavior->scaleDown)) return std::nullopt;
  return *std::move(behavior);
}

std::optional<std::vector<HorizontalPodAutoscalerCondition>> ReadConditions(
    const std::string& text) {
  const auto tree = Json::Parse(text);
  const auto* const list = tree ? tree->If<Json::Array>() : nullptr;
  if (list == nullptr) return std::nullopt;
  std::vector<HorizontalPodAutoscalerCondition> conditions;
  for (const Json& each : *list) {
    auto read = api::DecodeJson<HorizontalPodAutoscalerCondition>(each.ToString());
    if (!read) return std::nullopt;
    conditions.push_back(*std::move(read));
  }
  return conditions;
}

/// A list as text; `write` is called with each of its elements.
template <typename List, typename Write>
std::string ListText(const List& list, Write write) {
  std::string text;
  JsonWriter writer(text);
  writer.BeginArray();
  for (const auto& each : list) write(each, writer);
  writer.EndArray();
  return text;
}

}  // namespace

bool IsCpuUtilization(const MetricSpec& metric) {
  return metric.type == "Resource" && metric.resource && metric.resource->name == "cpu" &&
         metric.resource->target.averageUtilization;
}

void WriteAutoscalerAnnotations(const HorizontalPodAutoscaler& scaler, Annotations& annotations) {
  std::vector<MetricSpec> others;
  for (const MetricSpec& metric : scaler.spec.metrics) {
    if (!IsCpuUtilization(metric)) others.push_back(metric);
  }
  if (!others.empty()) {
    annotations[kMetrics] = ListText(others, [](const MetricSpec& metric, JsonWriter& writer) {
      WriteMetric(metric, kTargets, writer);
    });
  }
  if (!scaler.status.currentMetrics.empty()) {
    annotations[kCurrentMetrics] =
        ListText(scaler.status.currentMetrics, [](const MetricStatus& metric, JsonWriter& writer) {
          WriteMetric(metric, kCurrents, writer);
        });
  }
  if (scaler.spec.behavior) annotations[kBehavior] = BehaviorText(*scaler.spec.behavior);
  if (!scaler.status.conditions.empty()) {
    annotations[kConditions] =
        ListText(scaler.status.conditions, [](const auto& condition, JsonWriter& writer) {
          const auto sent =
              api::SendObject(&condition, HorizontalPodAutoscalerCondition::kType, writer);
          FLYBALL_CHECK(sent, sent.error().Describe());
        });
  }
}

void ReadAutoscalerAnnotations(const Annotations& annotations, HorizontalPodAutoscaler& scaler) {
  if (const std::string* const text = annotations.find(kMetrics)) {
    if (auto metrics = ReadMetrics<MetricSpec>(*text, kTargets, true)) {
      scaler.spec.metrics = *std::move(metrics);
    }
  }
  if (const std::string* const text = annotations.find(kBehavior)) {
    if (auto behavior = ReadBehavior(*text)) scaler.spec.behavior.emplace() = *std::move(behavior);
  }
  if (const std::string* const text = annotations.find(kCurrentMetrics)) {
    if (auto metrics = ReadMetrics<MetricStatus>(*text, kCurrents, false)) {
      scaler.status.currentMetrics = *std::move(metrics);
    }
  }
  if (const std::string* const text = annotations.find(kConditions)) {
    if (auto conditions = ReadConditions(*text)) scaler.status.conditions = *std::move(conditions);
  }
}

void DropAutoscalerAnnotations(Annotations& annotations) {
  for (const std::string_view name : {kMetrics, kCurrentMetrics, kConditions, kBehavior}) {
    annotations.erase(name);
  }
  for (const std::string_view name : kUnused) annotations.erase(name);
}

}  // namespace flyball::sandbox
