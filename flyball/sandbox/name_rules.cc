#include "flyball/sandbox/name_rules.h"

#include <algorithm>
#include <ranges>

#include "flyball/api/label_validation.h"

namespace flyball::sandbox {
namespace {

constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

std::string TooLong(std::size_t limit, std::string_view unit = "bytes") {
  return "must be no more than " + std::to_string(limit) + " " + std::string(unit);
}

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Letters and digits at both ends, and between them dashes, dots and underscores too.
bool IsName(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// Of any length.
bool IsDnsLabel(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, fits);
}

bool IsDnsSubdomain(std::string_view text) {
  for (const auto part : std::views::split(text, '.')) {
    if (!IsDnsLabel({part.begin(), part.end()})) return false;
  }
  return !text.empty();
}

}  // namespace

std::vector<std::string> LabelNameProblems(std::string_view name) {
  std::vector<std::string> problems;
  if (name.size() > api::kDns1123LabelMaxLength) {
    problems.push_back(TooLong(api::kDns1123LabelMaxLength, "characters"));
  }
  if (IsDnsLabel(name)) return problems;
  problems.emplace_back(IsDnsSubdomain(name) ? "must not contain dots" : kLabelRule);
  return problems;
}

std::vector<std::string> SubdomainProblems(std::string_view name) {
  std::vector<std::string> problems;
  if (name.size() > api::kDns1123SubdomainMaxLength) {
    problems.push_back(TooLong(api::kDns1123SubdomainMaxLength, "characters"));
  }
  if (!IsDnsSubdomain(name)) problems.emplace_back(kSubdomainRule);
  return problems;
}

std::vector<std::string> QualifiedNameProblems(std::string_view name) {
  if (api::ValidateQualifiedName(name)) return {};
  if (std::ranges::count(name, '/') > 1) {
    return {"a valid label key " + std::string(kNameRule) +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  std::vector<std::string> problems;
  if (const auto slash = name.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    name = name.substr(slash + 1);
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > api::kDns1123SubdomainMaxLength) {
        problems.push_back("prefix part " + TooLong(api::kDns1123SubdomainMaxLength));
      }
      if (!IsDnsSubdomain(prefix)) {
        problems.push_back("prefix part " + std::string(kSubdomainRule));
      }
    }
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > api::kLabelNameMaxLength) {
    problems.push_back("name part " + TooLong(api::kLabelNameMaxLength));
  }
  if (!IsName(name)) problems.push_back("name part " + std::string(kNameRule));
  return problems;
}

std::vector<std::string> LabelValueProblems(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > api::kLabelValueMaxLength) {
    problems.push_back(TooLong(api::kLabelValueMaxLength));
  }
  if (!value.empty() && !IsName(value)) problems.emplace_back(kValueRule);
  return problems;
}

}  // namespace flyball::sandbox
