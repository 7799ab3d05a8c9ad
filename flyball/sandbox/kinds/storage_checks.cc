#include "flyball/sandbox/kinds/storage_checks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kLongestDriverName = 63;
constexpr std::size_t kMostParameters = 512;
constexpr std::size_t kLargestParameters = 256 * 1024;

void Expect(const std::vector<std::string>& problems, std::string_view value,
            const std::string& path, FieldErrors& errors) {
  for (const std::string& each : problems) {
    errors.push_back(FieldError::Invalid(path, value, each));
  }
}

void CheckExpression(const core::v1::NodeSelectorRequirement& expression, const std::string& path,
                     FieldErrors& errors) {
  const std::string& op = expression.operator_;
  const std::string values = path + ".values";
  if (op == "In" || op == "NotIn") {
    if (expression.values.empty()) {
      errors.push_back(
          FieldError::Required(values, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!expression.values.empty()) {
      errors.push_back(FieldError::Forbidden(
          values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (op == "Gt" || op == "Lt") {
    if (expression.values.size() != 1) {
      errors.push_back(FieldError::Required(
          values, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else {
    errors.push_back(FieldError::Invalid(path + ".operator", op, "not a valid selector operator"));
  }
  Expect(QualifiedNameProblems(expression.key), expression.key, path + ".key", errors);
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    const std::string& value = expression.values[i];
    Expect(LabelValueProblems(value), value, At(values, i), errors);
  }
}

}  // namespace

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lowered;
}

void Protect(meta::v1::ObjectMeta& metadata, std::string_view finalizer) {
  auto& finalizers = metadata.finalizers;
  if (std::ranges::find(finalizers, finalizer) == finalizers.end()) {
    finalizers.emplace_back(finalizer);
  }
}

void CheckDriverName(std::string_view name, const std::string& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.push_back(FieldError::Required(path, ""));
    return;
  }
  if (name.size() > kLongestDriverName) {
    errors.push_back(FieldError::TooLong(path, kLongestDriverName));
  }
  Expect(SubdomainProblems(Lowered(name)), name, path, errors);
}

void CheckProvisioner(std::string_view name, const std::string& path, FieldErrors& errors) {
  if (name.empty()) return;
  const std::string lowered = Lowered(name);
  Expect(QualifiedNameProblems(lowered), lowered, path, errors);
}

void CheckParameters(const api::Map<std::string>& parameters, bool may_be_empty,
                     FieldErrors& errors) {
  const std::string path = "parameters";
  if (parameters.size() > kMostParameters) {
    errors.push_back(FieldError::TooLong(path, kMostParameters));
    return;
  }
  std::size_t size = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) {
      errors.push_back(FieldError::Invalid(path, key, "field can not be empty."));
    }
    size += key.size() + value.size();
  }
  if (size > kLargestParameters) errors.push_back(FieldError::TooLong(path, kLargestParameters));
  if (parameters.empty() && !may_be_empty) {
    errors.push_back(FieldError::Required(path, "must contain at least one key/value pair"));
  }
}

void CheckCsiSource(const core::v1::CSIPersistentVolumeSource& csi, const std::string& path,
                    FieldErrors& errors) {
  CheckDriverName(csi.driver, path + ".driver", errors);
  if (csi.volumeHandle.empty()) errors.push_back(FieldError::Required(path + ".volumeHandle", ""));
}

void CheckNodeAffinity(const core::v1::VolumeNodeAffinity& affinity, const std::string& path,
                       FieldErrors& errors) {
  if (!affinity.required) {
    errors.push_back(
        FieldError::Required(path + ".required", "must specify required node constraints"));
    return;
  }
  const std::string terms = path + ".required.nodeSelectorTerms";
  if (affinity.required->nodeSelectorTerms.empty()) {
    errors.push_back(FieldError::Required(terms, "must have at least one node selector term"));
  }
  for (std::size_t i = 0; i < affinity.required->nodeSelectorTerms.size(); ++i) {
    const auto& expressions = affinity.required->nodeSelectorTerms[i].matchExpressions;
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      CheckExpression(expressions[j], At(At(terms, i) + ".matchExpressions", j), errors);
    }
  }
}

FieldError DeclaredImmutable(std::string field) { return Immutable(std::move(field), "null"); }

FieldError Immutable(std::string field, std::string shown) {
  return {FieldError::Kind::kInvalid, std::move(field), std::move(shown), "field is immutable"};
}

}  // namespace flyball::sandbox
