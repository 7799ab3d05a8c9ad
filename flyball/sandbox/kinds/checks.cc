#include "flyball/sandbox/kinds/checks.h"

#include <algorithm>
#include <vector>

#include "flyball/api/json_encode.h"
#include "flyball/api/label_validation.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kMaxPortName = 15;

void Expect(const Result<>& valid, std::string_view value, const std::string& path,
            FieldErrors& errors) {
  if (!valid) errors.push_back(FieldError::Invalid(path, value, valid.error().message()));
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string At(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

std::string At(std::string_view path, std::string_view key) {
  return std::string(path) + "[" + std::string(key) + "]";
}

void CheckLabelName(std::string_view name, const std::string& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.push_back(FieldError::Required(path, ""));
  } else {
    Expect(api::ValidateDns1123Label(name), name, path, errors);
  }
}

void CheckSubdomain(std::string_view name, const std::string& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.push_back(FieldError::Required(path, ""));
  } else {
    Expect(api::ValidateDns1123Subdomain(name), name, path, errors);
  }
}

void CheckPortName(std::string_view name, const std::string& path, FieldErrors& errors) {
  const auto wrong = [&](const char* why) {
    errors.push_back(FieldError::Invalid(path, name, why));
  };
  if (name.size() > kMaxPortName) wrong("must be no more than 15 characters");
  if (!std::ranges::all_of(name, [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; })) {
    wrong("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(name, IsLower)) wrong("must contain at least one letter (a-z)");
  if (name.contains("--")) wrong("must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-')) wrong("must not begin or end with a hyphen");
}

void CheckPort(std::int64_t port, const std::string& path, FieldErrors& errors) {
  if (port >= 1 && port <= 65535) return;
  errors.push_back(FieldError::InvalidNumber(path, port, "must be between 1 and 65535, inclusive"));
}

void CheckNotNegative(std::int64_t number, const std::string& path, FieldErrors& errors) {
  if (number >= 0) return;
  errors.push_back(FieldError::InvalidNumber(path, number, "must be greater than or equal to 0"));
}

void CheckOneOf(std::string_view value, std::initializer_list<std::string_view> supported,
                const std::string& path, FieldErrors& errors) {
  if (value.empty()) {
    errors.push_back(FieldError::Required(path, ""));
  } else if (std::ranges::find(supported, value) == supported.end()) {
    errors.push_back(FieldError::NotSupported(path, value, supported));
  }
}

void CheckQuantity(const api::Quantity& quantity, const std::string& path, FieldErrors& errors) {
  if (quantity.Sign() >= 0) return;
  errors.push_back(
      FieldError::Invalid(path, quantity.ToString(), "must be greater than or equal to 0"));
}

void CheckLabels(const api::Map<std::string>& labels, const std::string& path,
                 FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    Expect(api::ValidateQualifiedName(key), key, path, errors);
    Expect(api::ValidateLabelValue(value), value, path, errors);
  }
}

void CheckSelector(const meta::v1::LabelSelector& selector, const std::string& path,
                   FieldErrors& errors) {
  CheckLabels(selector.matchLabels, path + ".matchLabels", errors);
  for (std::size_t i = 0; i < selector.matchExpressions.size(); ++i) {
    const auto& expression = selector.matchExpressions[i];
    const std::string at = At(path + ".matchExpressions", i);
    const std::string& op = expression.operator_;
    if (op == "In" || op == "NotIn") {
      if (expression.values.empty()) {
        errors.push_back(FieldError::Required(
            at + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!expression.values.empty()) {
        errors.push_back(FieldError::Forbidden(
            at + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
    } else {
      errors.push_back(FieldError::Invalid(at + ".operator", op, "not a valid selector operator"));
    }
    Expect(api::ValidateQualifiedName(expression.key), expression.key, at + ".key", errors);
    for (std::size_t value = 0; value < expression.values.size(); ++value) {
      Expect(api::ValidateLabelValue(expression.values[value]), expression.values[value],
             At(at + ".values", value), errors);
    }
  }
}

void CheckDataKey(std::string_view key, const std::string& path, FieldErrors& errors) {
  if (key.size() > 253) {
    errors.push_back(FieldError::Invalid(path, key, "must be no more than 253 characters"));
  }
  const auto fits = [](char c) {
    return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
  };
  if (key.empty() || !std::ranges::all_of(key, fits)) {
    errors.push_back(FieldError::Invalid(
        path, key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
        "'[-._a-zA-Z0-9]+')"));
  }
  if (key == ".") errors.push_back(FieldError::Invalid(path, key, "must not be '.'"));
  if (key == "..") {
    errors.push_back(FieldError::Invalid(path, key, "must not be '..'"));
  } else if (key.starts_with("..")) {
    errors.push_back(FieldError::Invalid(path, key, "must not start with '..'"));
  }
}

std::string ShownAs(const void* object, const api::TypeInfo& type) {
  std::string text;
  if (!api::EncodeJson(object, type, text)) text.clear();
  return text;
}

}  // namespace flyball::sandbox
