#include "flyball/sandbox/write_options.h"

#include <algorithm>
#include <optional>

#include "flyball/api/json.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kManagerLimit = 128;

std::string_view OptionsKind(const Request& request) {
  if (request.http.method == "POST") return "CreateOptions";
  return request.http.method == "PUT" ? "UpdateOptions" : "PatchOptions";
}

void CheckForce(const Request& request, FieldErrors& errors) {
  const bool apply = request.Header("content-type").starts_with("application/apply-patch");
  if (request.http.method != "PATCH" || apply || !request.target.query.Has("force")) return;
  errors.push_back(FieldError::Forbidden("force", "may not be specified for non-apply patch"));
}

void CheckManager(std::string_view manager, FieldErrors& errors) {
  if (manager.size() > kManagerLimit) {
    errors.push_back(FieldError::TooLong("fieldManager", kManagerLimit));
  }
  for (std::size_t i = 0; i < manager.size(); ++i) {
    const auto byte = static_cast<unsigned char>(manager[i]);
    if (byte >= 0x20 && byte != 0x7f) continue;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    errors.push_back(FieldError::Invalid("fieldManager", manager,
                                         std::string("invalid character U+00") +
                                             kDigits[byte >> 4] + kDigits[byte & 15] +
                                             " (at position " + std::to_string(i) + ")"));
    return;
  }
}

std::optional<FieldValidation> ValidationNamed(std::string_view name) {
  if (name.empty() || name == "Warn") return FieldValidation::kWarn;
  if (name == "Ignore") return FieldValidation::kIgnore;
  if (name == "Strict") return FieldValidation::kStrict;
  return std::nullopt;
}

}  // namespace

void CheckDryRun(const std::vector<std::string>& values, FieldErrors& errors) {
  if (std::ranges::all_of(values, [](const auto& value) { return value == "All"; })) return;
  errors.push_back({FieldError::Kind::kNotSupported, "dryRun",
                    api::Json(api::Json::Array(values.begin(), values.end())).ToString(),
                    "supported values: \"All\""});
}

StatusOr<FieldValidation> WriteOptionsOf(const Request& request) {
  const Query& query = request.target.query;
  FieldErrors errors;
  CheckForce(request, errors);
  CheckManager(query.Get("fieldManager"), errors);
  CheckDryRun(query.All("dryRun"), errors);
  const std::string_view wanted = query.Get("fieldValidation");
  const auto validation = ValidationNamed(wanted);
  if (!validation) {
    errors.push_back(
        FieldError::NotSupported("fieldValidation", wanted, {"", "Ignore", "Strict", "Warn"}));
  }
  if (errors.empty()) return *validation;
  return std::unexpected(Invalid("meta.k8s.io", OptionsKind(request), "", errors));
}

}  // namespace flyball::sandbox
