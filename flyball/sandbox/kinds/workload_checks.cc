#include "flyball/sandbox/kinds/workload_checks.h"

#include <algorithm>

#include "flyball/api/json.h"
#include "flyball/api/label_selector.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/pod_checks.h"

namespace flyball::sandbox {
namespace {

using core::v1::PodTemplateSpec;
using meta::v1::LabelSelector;

bool IsPercent(std::string_view text) {
  return text.ends_with('%') && text.size() > 1 &&
         std::ranges::all_of(text.substr(0, text.size() - 1),
                             [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string ShownLabels(const api::Map<std::string>& labels) {
  if (labels.empty()) return "null";
  api::Json::Object shown;
  for (const auto& [key, value] : labels) shown[key] = value;
  return api::Json(std::move(shown)).ToString();
}

void CheckTemplateSelector(const api::Box<LabelSelector>& selector, const PodTemplateSpec& pod,
                           std::string_view kind, FieldErrors& errors) {
  if (!selector) {
    errors.push_back(FieldError::Required("spec.selector", ""));
    return;
  }
  CheckSelector(*selector, "spec.selector", errors);
  if (selector->matchLabels.empty() && selector->matchExpressions.empty()) {
    errors.push_back({FieldError::Kind::kInvalid, "spec.selector", Shown(*selector),
                      "empty selector is invalid for " + std::string(kind)});
  }
  const auto parsed = api::Selector::FromMessage(selector);
  if (!parsed) {
    errors.push_back(
        {FieldError::Kind::kInvalid, "spec.selector", Shown(*selector), "invalid label selector"});
  } else if (!parsed->Matches(pod.metadata.labels)) {
    errors.push_back({FieldError::Kind::kInvalid, "spec.template.metadata.labels",
                      ShownLabels(pod.metadata.labels),
                      "`selector` does not match template `labels`"});
  }
}

void CheckLastingTemplate(const PodTemplateSpec& pod, std::string_view kind, FieldErrors& errors) {
  CheckPodTemplate(pod, "spec.template", errors);
  if (pod.spec.restartPolicy != "Always") {
    errors.push_back(FieldError::NotSupported("spec.template.spec.restartPolicy",
                                              pod.spec.restartPolicy, {"Always"}));
  }
  if (pod.spec.activeDeadlineSeconds) {
    errors.push_back(FieldError::Forbidden(
        "spec.template.spec.activeDeadlineSeconds",
        "activeDeadlineSeconds in " + std::string(kind) + " is not Supported"));
  }
}

void CheckSelectorUnchanged(const api::Box<LabelSelector>& now,
                            const api::Box<LabelSelector>& before, FieldErrors& errors) {
  if (now == before) return;
  errors.push_back({FieldError::Kind::kInvalid, "spec.selector", now ? Shown(*now) : "null",
                    "field is immutable"});
}

void CheckShare(const api::IntOrString& share, const std::string& path, FieldErrors& errors) {
  if (!share.IsString()) return CheckNotNegative(share.number(), path, errors);
  if (IsPercent(share.text())) return;
  errors.push_back(FieldError::Invalid(
      path, share.text(),
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
      "'93%', regex used for validation is '[0-9]+%')"));
}

void CheckPart(std::int32_t part, std::int32_t whole, const std::string& path,
               std::string_view whole_name, FieldErrors& errors) {
  if (part <= whole) return;
  errors.push_back(
      FieldError::InvalidNumber(path, part, "cannot be greater than " + std::string(whole_name)));
}

void CheckNotNegative(const std::optional<std::int32_t>& number, const std::string& path,
                      FieldErrors& errors) {
  if (number) CheckNotNegative(std::int64_t{*number}, path, errors);
}

}  // namespace flyball::sandbox
