#include "flyball/gen/cpp_names.h"

#include <algorithm>
#include <array>

#include "flyball/base/check.h"

namespace flyball::gen {
namespace {

/// Besides keywords, names that compilers and the C library define as macros.
constexpr auto kReserved =
    std::to_array<std::string_view>({"EOF",           "NULL",        "alignas",
                                     "alignof",       "and",         "and_eq",
                                     "asm",           "assert",      "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "errno",         "explicit",    "export",
                                     "extern",        "false",       "float",
                                     "for",           "friend",      "goto",
                                     "i386",          "if",          "inline",
                                     "int",           "linux",       "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "stderr",
                                     "stdin",         "stdout",      "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unix",
                                     "unsigned",      "using",       "virtual",
                                     "void",          "volatile",    "wchar_t",
                                     "while",         "xor",         "xor_eq"});

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

bool IsReservedWord(std::string_view word) {
  return std::ranges::find(kReserved, word) != kReserved.end();
}

std::string MemberName(const FieldFacts& field) {
  std::string name = field.cpp_name.empty() ? field.json_name : field.cpp_name;
  if (IsReservedWord(name)) name += '_';
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

std::string HeaderOf(const Package& package) {
  return package.header.empty() ? "flyball/api/" + package.name + ".h" : package.header;
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
    if (static_cast<unsigned char>(c) < 0x20) {
      // Three octal digits, and no more of them can follow.
      quoted += '\\';
      for (const int shift : {6, 3, 0}) quoted += static_cast<char>('0' + ((c >> shift) & 7));
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

bool IsTypeMeta(const FieldFacts& field) {
  return field.inlined && field.type.name == "meta/v1.TypeMeta";
}

}  // namespace flyball::gen
