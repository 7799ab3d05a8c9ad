#include "flyball/sandbox/custom/schema_limits.h"

#include "flyball/crd/schema_place.h"
#include "flyball/sandbox/custom/pattern.h"

namespace flyball::sandbox {
namespace {

using Props = apiextensions::v1::JSONSchemaProps;
using Found = std::optional<FieldError>;

/// A CRD may have thousands of patterns that take long to compile.
constexpr std::size_t kMemoryOfCheck = std::size_t{8} << 10;

class LimitChecker {
 public:
  explicit LimitChecker(std::string root) : root_(std::move(root)) {}

  Found Visit(const Props& schema, const std::string& path, int level) const {
    if (level > kMaxSchemaLevels) {
      return FieldError{
          FieldError::Kind::kInvalid, root_, "\"\"",
          "must not be nested deeper than " + std::to_string(kMaxSchemaLevels) + " levels"};
    }
    if (Found bad = CheckPattern(schema, path)) return bad;
    for (const auto& [name, property] : schema.properties) {
      if (Found bad = Visit(property, crd::PropertyPath(path, name), level + 1)) return bad;
    }
    if (const Props* const items = crd::ItemsOf(schema)) {
      if (Found bad = Visit(*items, path + ".items", level + 1)) return bad;
    }
    if (const Props* const values = crd::AdditionalOf(schema)) {
      if (Found bad = Visit(*values, path + ".additionalProperties", level + 1)) return bad;
    }
    if (schema.not_) {
      if (Found bad = Visit(*schema.not_, path + ".not", level + 1)) return bad;
    }
    return VisitLists(schema, path, level);
  }

 private:
  Found VisitLists(const Props& schema, const std::string& path, int level) const {
    const std::pair<const char*, const std::vector<Props>*> lists[] = {
        {"allOf", &schema.allOf}, {"anyOf", &schema.anyOf}, {"oneOf", &schema.oneOf}};
    for (const auto& [name, list] : lists) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        if (Found bad = Visit((*list)[i], crd::IndexPath(path, name, i), level + 1)) return bad;
      }
    }
    return std::nullopt;
  }

  static Found CheckPattern(const Props& schema, const std::string& path) {
    if (schema.pattern.empty()) return std::nullopt;
    // Whether it fits into memory is not the question, and is soon found out.
    const auto compiled = Pattern::Compile(schema.pattern, kMemoryOfCheck);
    if (compiled || compiled.error().code() != ErrorCode::kInvalid) return std::nullopt;
    return FieldError::Invalid(
        path + ".pattern", schema.pattern,
        "must be a valid regular expression, but isn't: " + compiled.error().message());
  }

  const std::string root_;
};

}  // namespace

std::optional<FieldError> FindSchemaError(const Props& schema, const std::string& path) {
  return LimitChecker(path).Visit(schema, path, 0);
}

}  // namespace flyball::sandbox
