#include "flyball/gen/cpp_names.h"

#include <algorithm>
#include <array>

#include "flyball/base/check.h"

namespace flyball::gen {
namespace {

/// Besides keywords, names that compilers define as macros unless told to keep to the standard.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"alignas",  "alignof", "and",     "asm",       "auto",    "bool",     "break",    "case",
     "catch",    "char",    "class",   "compl",     "concept", "const",    "continue", "default",
     "delete",   "do",      "double",  "else",      "enum",    "explicit", "export",   "extern",
     "false",    "float",   "for",     "friend",    "goto",    "if",       "inline",   "int",
     "linux",    "long",    "mutable", "namespace", "new",     "noexcept", "not",      "nullptr",
     "operator", "or",      "private", "protected", "public",  "register", "requires", "return",
     "short",    "signed",  "sizeof",  "static",    "struct",  "switch",   "template", "this",
     "throw",    "true",    "try",     "typedef",   "typeid",  "typename", "union",    "unsigned",
     "using",    "virtual", "void",    "volatile",  "while",   "xor"});

std::string ScalarType(std::string_view name) {
  if (name == "string") return "std::string";
  if (name == "bytes") return "api::Bytes";
  if (name == "bool") return "bool";
  if (name == "int32") return "std::int32_t";
  if (name == "int64") return "std::int64_t";
  FLYBALL_CHECK(name == "float64", name);
  return "double";
}

std::string LeafType(std::string_view name) {
  if (name == "RawExtension" || name == "FieldsV1" || name == "JSON" || name == "Any") {
    return "api::RawJson";
  }
  return "api::" + std::string(name);
}

}  // namespace

std::string MemberName(const FieldFacts& field) {
  std::string name = field.cpp_name.empty() ? field.json_name : field.cpp_name;
  if (std::ranges::find(kReserved, name) != kReserved.end()) name += '_';
  return name;
}

std::string NamespaceOf(std::string_view package) {
  std::string name;
  for (const char c : package) {
    if (c == '/') {
      name += "::";
    } else {
      name += c;
    }
  }
  return name;
}

std::string HeaderOf(std::string_view package) {
  return "flyball/api/" + std::string(package) + ".h";
}

std::string QualifiedCppName(std::string_view qualified_name, std::string_view in) {
  const auto [package, name] = SplitQualified(qualified_name);
  return package == in ? name : NamespaceOf(package) + "::" + name;
}

std::string CppType(const Schema& schema, const TypeRef& type, std::string_view in) {
  switch (type.form) {
    case TypeRef::Form::kScalar:
      return ScalarType(type.name);
    case TypeRef::Form::kLeaf:
      return LeafType(type.name);
    case TypeRef::Form::kNamed:
      return QualifiedCppName(type.name, in);
    case TypeRef::Form::kPointer: {
      const bool is_struct = schema.Resolve(type.Element()).form == TypeRef::Form::kNamed;
      return (is_struct ? "api::Box<" : "std::optional<") + CppType(schema, type.Element(), in) +
             ">";
    }
    case TypeRef::Form::kList: {
      const std::string element = CppType(schema, type.Element(), in);
      return "std::vector<" + (element == "bool" ? "api::Boolean" : element) + ">";
    }
    case TypeRef::Form::kMap:
      return "api::Map<" + CppType(schema, type.Element(), in) + ">";
  }
  return {};
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

bool IsTypeMeta(const FieldFacts& field) {
  return field.inlined && field.type.name == "meta/v1.TypeMeta";
}

}  // namespace flyball::gen
