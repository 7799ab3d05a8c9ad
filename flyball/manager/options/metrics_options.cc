#include "flyball/manager/options/metrics_options.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/api/json_writer.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/gates/kube_version.h"

namespace flyball::manager {
namespace {

constexpr std::string_view kMapping = "metrics.allowListMapping";
constexpr std::string_view kManifest = "metrics.allowListMappingManifest";
constexpr std::string_view kBadKey =
    "must have keys with format `metricName,labelName` where metricName matches "
    "\"[a-zA-Z_:][a-zA-Z0-9_:]*\" and labelName matches \"[a-zA-Z_][a-zA-Z0-9_]*\"";

using Mapping = std::map<std::string, std::string>;

bool IsName(std::string_view name, std::string_view besides_letters) {
  const auto fits = [besides_letters](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           besides_letters.find(c) != std::string_view::npos;
  };
  return !name.empty() && std::ranges::all_of(name, fits) && !(name[0] >= '0' && name[0] <= '9');
}

bool IsMetricName(std::string_view name) { return IsName(name, "_:"); }

/// "metric,label".
bool IsMappingKey(std::string_view key) {
  const std::size_t comma = key.find(',');
  return comma != std::string_view::npos && IsMetricName(key.substr(0, comma)) &&
         IsName(key.substr(comma + 1), "_");
}

bool HasBadKey(const Mapping& mapping) {
  return std::ranges::any_of(mapping, [](const auto& item) { return !IsMappingKey(item.first); });
}

void Write(api::JsonWriter& json, const Mapping& mapping) {
  json.BeginObject();
  for (const auto& [key, value] : mapping) {
    json.Key(key);
    json.String(value);
  }
  json.EndObject();
}

void Write(api::JsonWriter& json, const std::vector<std::string>& values) {
  json.BeginArray();
  for (const std::string& value : values) json.String(value);
  json.EndArray();
}

template <typename Value>
std::string JsonText(const Value& value) {
  std::string text;
  api::JsonWriter json(text);
  Write(json, value);
  return text;
}

/// All options, as upstream prints them in a message.
std::string JsonText(const MetricsOptions& options) {
  std::string text;
  api::JsonWriter json(text);
  json.BeginObject();
  if (!options.show_hidden_for_version.empty()) {
    json.Key("showHiddenMetricsForVersion");
    json.String(options.show_hidden_for_version);
  }
  if (!options.disabled.empty()) {
    json.Key("disabledMetrics");
    Write(json, options.disabled);
  }
  json.Key("allowListMapping");
  Write(json, options.allowed_labels);
  json.Key("allowListMappingManifest");
  json.String(options.allowed_labels_manifest);
  json.EndObject();
  return text;
}

Result<Mapping> ReadManifest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int why = errno;
    return Fail(ErrorCode::kIo,
                "failed to read allow list manifest: open " + path + ": " + flags::ErrnoText(why));
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  api::JsonTreeSink sink;
  if (const auto read = api::ReadYaml(text, sink); !read) {
    return Fail(ErrorCode::kInvalid,
                "failed to parse allow list manifest: " + read.error().message());
  }
  const api::Json document = sink.Take();
  const auto* const object = document.If<api::Json::Object>();
  Mapping mapping;
  if (object == nullptr) return mapping;
  for (const auto& [key, value] : *object) {
    const auto* const values = value.If<std::string>();
    if (values == nullptr) {
      return Fail(ErrorCode::kInvalid,
                  "failed to parse allow list manifest: " + key + " is not a string");
    }
    mapping.emplace(key, *values);
  }
  return mapping;
}

void CheckManifest(Problems& problems, const std::string& path) {
  if (path.empty()) return;
  const Result<Mapping> mapping = ReadManifest(path);
  if (!mapping) {
    problems.AddInvalid(kManifest, flags::Quote(path), mapping.error().message());
  } else if (HasBadKey(*mapping)) {
    problems.AddInvalid(kManifest, flags::Quote(path),
                        "invalid allow list mapping in manifest: [" + std::string(kManifest) +
                            ": Invalid value: " + JsonText(*mapping) + ": " + std::string(kBadKey) +
                            "]");
  }
}

}  // namespace

void MetricsOptions::AddFlags(flags::FlagSection& section) {
  section
      .Add("show-hidden-metrics-for-version", show_hidden_for_version,
           "Previous minor release, as major.minor, whose hidden metrics are shown once more "
           "before they disappear. Accepted and ignored: this program hides no metrics.")
      .WithoutEffect("this program hides no metrics");
  section.Add("disabled-metrics", disabled,
              "Full names of metrics that are left out of /metrics, as a comma-separated list; for "
              "a metric that causes trouble.");
  constexpr std::string_view kAllValues = "metric labels are shown with all their values";
  section
      .Add("allow-metric-labels", allowed_labels,
           "Allowed values of metric labels, as metric,label=v1,v2; other values would be shown as "
           "'unexpected'. Accepted and ignored: this program shows all values.")
      .WithoutEffect(kAllValues);
  section
      .Add("allow-metric-labels-manifest", allowed_labels_manifest,
           "YAML file with the allowed values of metric labels, instead of --allow-metric-labels. "
           "Checked and otherwise ignored: this program shows all values.")
      .WithoutEffect(kAllValues);
}

void MetricsOptions::Check(Problems& problems) const {
  const KubeVersion previous = {kKubeVersion.major, kKubeVersion.minor - 1};
  if (!show_hidden_for_version.empty() && show_hidden_for_version != previous.ToString()) {
    problems.AddInvalid("metrics.showHiddenMetricsForVersion",
                        flags::Quote(show_hidden_for_version),
                        "must be omitted or have the value '" + previous.ToString() +
                            "'; only the previous minor version is allowed");
  }
  const auto bad = std::ranges::find_if_not(disabled, IsMetricName);
  if (bad != disabled.end()) {
    problems.AddInvalid(
        "metrics.disabledMetrics", JsonText(disabled),
        "must be fully qualified metric names matching \"^[a-zA-Z_:][a-zA-Z0-9_:]*$\", got " +
            flags::Quote(*bad));
  }
  if (HasBadKey(allowed_labels)) {
    problems.AddInvalid(kMapping, JsonText(allowed_labels), kBadKey);
  }
  CheckManifest(problems, allowed_labels_manifest);
  if (!allowed_labels.empty() && !allowed_labels_manifest.empty()) {
    problems.AddInvalid("metrics", JsonText(*this),
                        "cannot specify both allowListMapping and allowListMappingManifest");
  }
}

}  // namespace flyball::manager
