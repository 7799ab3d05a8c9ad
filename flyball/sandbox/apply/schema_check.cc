#include "flyball/sandbox/apply/schema_check.h"

#include <algorithm>

#include "flyball/base/log_format.h"
#include "flyball/sandbox/apply/type_form.h"

namespace flyball::sandbox::apply {
namespace {

class Checker {
 public:
  explicit Checker(Duplicates duplicates) : duplicates_(duplicates) {}

  void Check(const TypeNode* type, const Json& value) {
    if (type == nullptr) return Complain("schema error: invalid atom: inlined");
    switch (FormOf(*type, &value)) {
      case Form::kMap:
        return CheckMap(*type, value);
      case Form::kScalar:
        if (std::string why = ScalarComplaint(type->scalar, &value, ""); !why.empty())
          Complain(why);
        return;
      case Form::kList:
        return CheckList(*type, value);
      case Form::kNone:
        return Complain("schema error: invalid atom: inlined");
    }
  }

  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void Complain(std::string_view why) {
    std::string place;
    for (const std::string& step : path_) place += step;
    complaints_.push_back(place.empty() ? std::string(why) : place + ": " + std::string(why));
  }

  void CheckMap(const TypeNode& type, const Json& value) {
    if (value.IsNull()) return;
    const Json::Object* map = AsMap(&value);
    if (map == nullptr) return Complain("expected map, got &{" + PrintValue(value) + "}");
    for (const auto& [name, member] : *map) {
      const TypeNode* member_type = type.TypeOfField(name);
      path_.push_back("." + name);
      if (member_type == nullptr) {
        Complain("field not declared in schema");
      } else {
        Check(member_type, member);
      }
      path_.pop_back();
      if (member_type == nullptr) return;
    }
  }

  void CheckList(const TypeNode& type, const Json& value) {
    if (value.IsNull()) return;
    const Json::Array* list = AsList(&value);
    if (list == nullptr) return Complain("expected list, got &{" + PrintValue(value) + "}");
    std::vector<PathElement> seen;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      PathElement element = PathElement::Index(static_cast<std::int64_t>(i));
      if (!type.list_is_atomic) {
        Result<PathElement> of_item = ElementOfItem(type, item);
        if (!of_item) {
          return Complain("element " + std::to_string(i) + ": " + of_item.error().message());
        }
        element = *std::move(of_item);
        if (duplicates_ == Duplicates::kRefused) {
          if (std::ranges::find(seen, element) != seen.end()) {
            Complain("duplicate entries for key " + element.ToString());
          }
          seen.push_back(element);
        }
      }
      path_.push_back(element.ToString());
      Check(type.item, item);
      path_.pop_back();
    }
  }

  const Duplicates duplicates_;
  std::vector<std::string> path_;
  std::vector<std::string> complaints_;
};

bool IsNumber(const Json& value) {
  return value.If<std::int64_t>() != nullptr || value.If<double>() != nullptr;
}

}  // namespace

Result<> CheckAgainstSchema(const TypeSchema& schema, const Json& object, Duplicates duplicates) {
  Checker checker(duplicates);
  checker.Check(&schema.root(), object);
  if (checker.complaints().empty()) return {};
  return Fail(ErrorCode::kInvalid, JoinComplaints(checker.complaints()));
}

std::string ScalarComplaint(Scalar scalar, const Json* value, std::string_view side) {
  if (value == nullptr || value->IsNull()) return "";
  const bool is_string = value->If<std::string>() != nullptr;
  const bool is_bool = value->If<bool>() != nullptr;
  std::string why(side);
  switch (scalar) {
    case Scalar::kNumeric:
      if (IsNumber(*value)) return "";
      return why + "expected numeric (int or float), got " + std::string(GoTypeName(*value));
    case Scalar::kString:
      if (is_string) return "";
      // The type that upstream keeps values in shows in its message.
      return why + "expected string, got &value.valueUnstructured{Value:" + PrintValue(*value) +
             "}";
    case Scalar::kBoolean:
      if (is_bool) return "";
      return why + "expected boolean, got &{" + PrintValue(*value) + "}";
    case Scalar::kAny:
      if (is_string || is_bool || IsNumber(*value)) return "";
      return why + "expected any scalar, got &{" + PrintValue(*value) + "}";
    case Scalar::kNone:
      break;
  }
  return why + "unexpected scalar type in schema: ";
}

std::string JoinComplaints(const std::vector<std::string>& complaints) {
  if (complaints.size() == 1) return complaints.front();
  std::string all = "errors:";
  for (const std::string& one : complaints) all += "\n  " + one;
  return all;
}

}  // namespace flyball::sandbox::apply
