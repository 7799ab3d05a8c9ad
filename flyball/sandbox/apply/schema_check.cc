#include "flyball/sandbox/apply/schema_check.h"

#include <algorithm>

#include "flyball/sandbox/apply/list_item.h"
#include "flyball/sandbox/apply/type_form.h"

namespace flyball::sandbox::apply {
namespace {

/// Complaints are made where they arise and get the path in front on the way out, so that an object
/// without any costs no path.
class Checker {
 public:
  explicit Checker(Duplicates duplicates) : duplicates_(duplicates) {}

  void Check(const TypeNode* type, const Json& value) {
    switch (type == nullptr ? Form::kNone : FormOf(*type, &value)) {
      case Form::kMap:
        return CheckMap(*type, value);
      case Form::kScalar:
        return CheckScalar(type->scalar, value);
      case Form::kList:
        return CheckList(*type, value);
      case Form::kNone:
        return Complain("schema error: invalid atom: inlined");
    }
  }

  std::vector<std::string> Complaints() const {
    std::vector<std::string> all;
    for (const Complaint& one : complaints_) {
      all.push_back(one.path.empty() ? one.why : one.path + ": " + one.why);
    }
    return all;
  }

 private:
  struct Complaint {
    std::string path;
    std::string why;
  };

  void Complain(std::string why) { complaints_.push_back({"", std::move(why)}); }
  /// Puts a step in front of all complaints but the first `count`.
  void Prefix(std::size_t count, const PathElement& step) {
    for (std::size_t i = count; i < complaints_.size(); ++i) {
      complaints_[i].path.insert(0, step.ToString());
    }
  }

  void CheckScalar(Scalar scalar, const Json& value) {
    if (std::string why = ScalarComplaint(scalar, &value, ""); !why.empty())
      Complain(std::move(why));
  }

  void CheckMap(const TypeNode& type, const Json& value) {
    if (value.IsNull()) return;
    const Json::Object* map = AsMap(&value);
    if (map == nullptr) return Complain("expected map, got &{" + PrintValue(value) + "}");
    // Both are in the order of their names.
    auto declared = type.fields.begin();
    for (const auto& [name, member] : *map) {
      while (declared != type.fields.end() && declared->name < name) ++declared;
      const bool known = declared != type.fields.end() && declared->name == name;
      const TypeNode* member_type = known ? declared->type : type.other_fields;
      const std::size_t before = complaints_.size();
      if (member_type == nullptr) {
        Complain("field not declared in schema");
      } else {
        Check(member_type, member);
      }
      if (complaints_.size() != before) Prefix(before, PathElement::Field(name));
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
      if (!type.list_is_atomic) {
        if (const Result<> keyed = CheckItem(type, item); !keyed) {
          return Complain("element " + std::to_string(i) + ": " + keyed.error().message());
        }
        if (duplicates_ == Duplicates::kRefused) CheckOnce(ElementOfItem(type, item).value(), seen);
      }
      const std::size_t before = complaints_.size();
      Check(type.item, item);
      if (complaints_.size() == before) continue;
      Prefix(before, type.list_is_atomic ? PathElement::Index(static_cast<std::int64_t>(i))
                                         : ElementOfItem(type, item).value());
    }
  }

  void CheckOnce(PathElement element, std::vector<PathElement>& seen) {
    if (std::ranges::find(seen, element) != seen.end()) {
      Complain("duplicate entries for key " + element.ToString());
    }
    seen.push_back(std::move(element));
  }

  const Duplicates duplicates_;
  std::vector<Complaint> complaints_;
};

bool IsNumber(const Json& value) {
  return value.If<std::int64_t>() != nullptr || value.If<double>() != nullptr;
}

}  // namespace

Result<> CheckAgainstSchema(const TypeSchema& schema, const Json& object, Duplicates duplicates) {
  Checker checker(duplicates);
  checker.Check(&schema.root(), object);
  const std::vector<std::string> complaints = checker.Complaints();
  if (complaints.empty()) return {};
  return Fail(ErrorCode::kInvalid, JoinComplaints(complaints));
}

std::string ScalarComplaint(Scalar scalar, const Json* value, std::string_view side) {
  if (value == nullptr || value->IsNull()) return "";
  const bool is_string = value->If<std::string>() != nullptr;
  const bool is_bool = value->If<bool>() != nullptr;
  const std::string why(side);
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
