#include "flyball/gen/go_names.h"

#include <map>

#include "flyball/gen/cpp_names.h"

namespace flyball::gen {
namespace {

std::string LeafName(const std::string& leaf) {
  static const std::map<std::string_view, std::string_view> kPackages = {
      {"Quantity", "resource"}, {"IntOrString", "intstr"}, {"RawExtension", "runtime"}};
  const auto package = kPackages.find(leaf);
  return std::string(package == kPackages.end() ? "v1" : package->second) + "." + leaf;
}

/// A qualified name with the last part of its package's path, which is what Go calls the package.
std::string NamedName(const std::string& qualified_name) {
  const auto [package, name] = SplitQualified(qualified_name);
  return package.substr(package.rfind('/') + 1) + "." + name;
}

}  // namespace

std::string GoTypeName(const TypeRef& type) {
  switch (type.form) {
    case TypeRef::Form::kScalar:
      return type.name == "bytes" ? "[]uint8" : type.name;
    case TypeRef::Form::kLeaf:
      return LeafName(type.name);
    case TypeRef::Form::kNamed:
      return NamedName(type.name);
    case TypeRef::Form::kPointer:
      return "*" + GoTypeName(type.Element());
    case TypeRef::Form::kList:
      return "[]" + GoTypeName(type.Element());
    case TypeRef::Form::kMap:
      return "map[" + (type.name == "string" ? type.name : NamedName(type.name)) + "]" +
             GoTypeName(type.Element());
  }
  return "";
}

std::string GoFieldPrefix(const FieldFacts& field) {
  return field.go_name + ":(" + GoTypeName(field.type) + ")";
}

Result<std::set<std::string>> ReachableStructs(const Schema& schema,
                                               const std::vector<std::string>& roots) {
  std::set<std::string> reached;
  std::vector<std::string> open = roots;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const StructFacts* facts = schema.FindStruct(name);
    if (!facts) return Fail(ErrorCode::kNotFound, "'" + name + "' is no struct of the schema");
    if (!reached.insert(name).second) continue;
    for (const FieldFacts& field : facts->fields) {
      if (IsTypeMeta(field)) {
        return Fail(ErrorCode::kUnsupported, name + ": TypeMeta is flattened in our tables");
      }
      const TypeRef* type = &schema.Resolve(field.type);
      while (!type->element.empty()) type = &schema.Resolve(type->Element());
      if (type->form == TypeRef::Form::kNamed) open.push_back(type->name);
    }
  }
  return reached;
}

}  // namespace flyball::gen
