#include <algorithm>
#include <cmath>
#include <set>

#include "flyball/api/time.h"
#include "flyball/crd/schema_place.h"
#include "flyball/sandbox/custom/custom_schema.h"

/// Whether an object keeps to its schema, said as kube-apiserver says it.
namespace flyball::sandbox {
namespace {

using api::Json;
using Props = CustomSchema::Props;

std::string_view TypeName(const Json& value) {
  if (value.If<bool>() != nullptr) return "boolean";
  if (value.If<std::int64_t>() != nullptr) return "integer";
  if (value.If<double>() != nullptr) return "number";
  if (value.If<std::string>() != nullptr) return "string";
  if (value.If<Json::Array>() != nullptr) return "array";
  if (value.If<Json::Object>() != nullptr) return "object";
  return "null";
}

std::optional<double> NumberIn(const Json& value) {
  if (const auto* const integer = value.If<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* const number = value.If<double>()) return *number;
  return std::nullopt;
}

bool IsOfType(const Json& value, std::string_view type) {
  const std::string_view is = TypeName(value);
  if (is == type || type.empty()) return true;
  if (type == "number") return is == "integer";
  const auto* const number = value.If<double>();
  return type == "integer" && number != nullptr && std::trunc(*number) == *number;
}

/// Go's %v of a float64.
std::string NumberText(double number) { return Json(number).ToString(); }

/// PARITY: characters are code points.
std::int64_t Length(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string Below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

/// How many values are held to a part of a schema, for one object. A large object and a large
/// schema would else take the product of both: minutes.
///
/// DIVERGES: upstream takes the time.
constexpr std::int64_t kMaxSteps = 1'000'000;

class Checker {
 public:
  Checker(const CustomSchema& schema, std::int64_t& steps_left)
      : schema_(schema), steps_left_(steps_left) {}

  FieldErrors Take() { return std::move(errors_); }
  bool ok() const { return errors_.empty(); }
  /// What has been found then does not count.
  bool exhausted() const { return steps_left_ < 0; }

  void Visit(const Json& value, const Props& schema, const std::string& path) {
    steps_left_ -= 1 + static_cast<std::int64_t>(schema.enum_.size() + schema.required.size());
    if (exhausted()) return;
    if (value.IsNull() && schema.nullable) return;
    if (!CheckType(value, schema, path)) return;
    CheckEnum(value, schema, path);
    if (const auto number = NumberIn(value)) CheckNumber(value, *number, schema, path);
    if (const auto* const text = value.If<std::string>()) CheckText(*text, schema, path);
    if (const auto* const array = value.If<Json::Array>()) CheckArray(*array, schema, path);
    if (const auto* const object = value.If<Json::Object>()) CheckObject(*object, schema, path);
    CheckCombinations(value, schema, path);
  }

 private:
  using What = FieldError::Kind;

  void Refuse(What what, const std::string& path, std::string value, std::string detail) {
    errors_.push_back({what, path, std::move(value), std::move(detail)});
  }
  /// "spec.replicas in body should be less than 3".
  void RefuseValue(const std::string& path, const Json& value, const std::string& why) {
    Refuse(What::kInvalid, path, value.ToString(), path + " in body " + why);
  }

  bool CheckType(const Json& value, const Props& schema, const std::string& path) {
    if (schema.xKubernetesIntOrString) {
      if (value.If<std::int64_t>() != nullptr || value.If<std::string>() != nullptr) return true;
    } else if (IsOfType(value, schema.type)) {
      return true;
    }
    const std::string type = schema.xKubernetesIntOrString ? "integer,string" : schema.type;
    const std::string is = Json(TypeName(value)).ToString();
    Refuse(What::kTypeInvalid, path, is, path + " in body must be of type " + type + ": " + is);
    return false;
  }

  void CheckEnum(const Json& value, const Props& schema, const std::string& path) {
    if (schema.enum_.empty()) return;
    std::vector<std::string> allowed;
    for (const api::RawJson& each : schema.enum_) {
      const auto parsed = Json::Parse(each.raw);
      if (!parsed) continue;
      if (*parsed == value) return;
      const auto* const text = parsed->If<std::string>();
      allowed.push_back(text != nullptr ? *text : parsed->ToString());
    }
    const auto* const text = value.If<std::string>();
    FieldError error = FieldError::NotSupported(path, text != nullptr ? *text : "",
                                                {allowed.begin(), allowed.end()});
    if (text == nullptr) error.value = value.ToString();
    errors_.push_back(std::move(error));
  }

  void CheckNumber(const Json& value, double number, const Props& schema, const std::string& path) {
    if (schema.maximum && schema.exclusiveMaximum && number >= *schema.maximum) {
      RefuseValue(path, value, "should be less than " + NumberText(*schema.maximum));
    } else if (schema.maximum && number > *schema.maximum) {
      RefuseValue(path, value, "should be less than or equal to " + NumberText(*schema.maximum));
    }
    if (schema.minimum && schema.exclusiveMinimum && number <= *schema.minimum) {
      RefuseValue(path, value, "should be greater than " + NumberText(*schema.minimum));
    } else if (schema.minimum && number < *schema.minimum) {
      RefuseValue(path, value, "should be greater than or equal to " + NumberText(*schema.minimum));
    }
    if (schema.multipleOf && *schema.multipleOf > 0) {
      const double times = number / *schema.multipleOf;
      if (std::trunc(times) != times) {
        RefuseValue(path, value, "should be a multiple of " + NumberText(*schema.multipleOf));
      }
    }
  }

  /// PARITY: of length and pattern, only the first that is wrong is told.
  void CheckText(const std::string& text, const Props& schema, const std::string& path) {
    if (schema.maxLength && Length(text) > *schema.maxLength) {
      errors_.push_back(FieldError::TooLong(path, static_cast<std::size_t>(*schema.maxLength)));
    } else if (schema.minLength && Length(text) < *schema.minLength) {
      RefuseValue(path, text,
                  "should be at least " + std::to_string(*schema.minLength) + " chars long");
    } else if (!schema.pattern.empty() && !schema_.Matches(text, schema.pattern)) {
      RefuseValue(path, text, "should match '" + schema.pattern + "'");
    }
    if (schema.format == "date-time" && !api::Time::Parse(text)) {
      RefuseValue(path, text, "must be of type date-time: " + Json(text).ToString());
    }
  }

  void CheckCount(std::size_t size, const std::optional<std::int64_t>& most,
                  const std::optional<std::int64_t>& least, std::string_view of,
                  const std::string& path) {
    const auto count = static_cast<std::int64_t>(size);
    if (most && count > *most) {
      Refuse(What::kTooMany, path, std::to_string(count),
             "must have at most " + std::to_string(*most) + " items");
    }
    if (least && count < *least) {
      RefuseValue(path, count,
                  "should have at least " + std::to_string(*least) + " " + std::string(of));
    }
  }

  void CheckArray(const Json::Array& array, const Props& schema, const std::string& path) {
    if (const Props* const items = crd::ItemsOf(schema)) {
      for (std::size_t i = 0; i < array.size() && !exhausted(); ++i) {
        Visit(array[i], *items, path + "[" + std::to_string(i) + "]");
      }
    }
    CheckCount(array.size(), schema.maxItems, schema.minItems, "items", path);
    CheckDuplicates(array, schema, path);
  }

  /// Lists that are sets, or maps by some keys.
  void CheckDuplicates(const Json::Array& array, const Props& schema, const std::string& path) {
    const std::string type = schema.xKubernetesListType.value_or("atomic");
    if (type == "atomic" && !schema.uniqueItems) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < array.size(); ++i) {
      Json identity = array[i];
      if (type == "map") {
        Json::Object keys;
        for (const std::string& key : schema.xKubernetesListMapKeys) {
          if (const Json* const found = array[i].Find(key)) keys[key] = *found;
        }
        identity = std::move(keys);
      }
      std::string text = identity.ToString();
      if (seen.insert(text).second) continue;
      Refuse(What::kDuplicate, path + "[" + std::to_string(i) + "]", std::move(text), "");
    }
  }

  void CheckObject(const Json::Object& object, const Props& schema, const std::string& path) {
    CheckCount(object.size(), schema.maxProperties, schema.minProperties, "properties", path);
    for (const std::string& name : schema.required) {
      if (!object.contains(name)) errors_.push_back(FieldError::Required(Below(path, name), ""));
    }
    if (schema.xKubernetesEmbeddedResource) CheckEmbedded(object, path);
    const Props* const values = crd::AdditionalOf(schema);
    for (const auto& [name, member] : object) {
      if (exhausted()) return;
      if (const Props* const property = schema.properties.find(name)) {
        Visit(member, *property, Below(path, name));
      } else if (values != nullptr) {
        Visit(member, *values, Below(path, name));
      }
    }
  }

  void CheckEmbedded(const Json::Object& object, const std::string& path) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const Json* const member = object.find(name);
      const auto* const text = member != nullptr ? member->If<std::string>() : nullptr;
      if (text != nullptr && !text->empty()) continue;
      errors_.push_back(FieldError::Required(Below(path, name), "must not be empty"));
    }
  }

  bool Fits(const Json& value, const Props& schema, const std::string& path) const {
    if (exhausted()) return true;
    Checker checker(schema_, steps_left_);
    checker.Visit(value, schema, path);
    return checker.ok();
  }

  void CheckCombinations(const Json& value, const Props& schema, const std::string& path) {
    for (const Props& each : schema.allOf) Visit(value, each, path);
    const auto fitting = [&](const std::vector<Props>& schemas) {
      return std::ranges::count_if(schemas,
                                   [&](const Props& each) { return Fits(value, each, path); });
    };
    const auto refuse = [&](const std::string& why) {
      Refuse(What::kInvalid, path, "\"\"", Json(path).ToString() + " " + why);
    };
    if (!schema.anyOf.empty() && fitting(schema.anyOf) == 0) {
      refuse("must validate at least one schema (anyOf)");
    }
    if (!schema.oneOf.empty()) {
      const auto count = fitting(schema.oneOf);
      if (count == 0) refuse("must validate one and only one schema (oneOf). Found none valid");
      if (count > 1) {
        refuse("must validate one and only one schema (oneOf). Found " + std::to_string(count) +
               " valid alternatives");
      }
    }
    if (schema.not_ && Fits(value, *schema.not_, path)) {
      refuse("must not validate the schema (not)");
    }
  }

  const CustomSchema& schema_;
  std::int64_t& steps_left_;  // of all checkers of an object
  FieldErrors errors_;
};

}  // namespace

FieldErrors CustomSchema::Validate(const Json& object) const {
  std::int64_t steps_left = kMaxSteps;
  Checker checker(*this, steps_left);
  checker.Visit(object, root_, {});
  if (steps_left >= 0) return checker.Take();
  return {{FieldError::Kind::kInvalid, "", "\"\"",
           "takes more than " + std::to_string(kMaxSteps) + " steps to be validated"}};
}

}  // namespace flyball::sandbox
