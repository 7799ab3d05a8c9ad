#pragma once

#include <string>
#include <string_view>

#include "flyball/gen/schema.h"

/// How the things of a schema are called in C++.
namespace flyball::gen {

/// Whether C++, or a header of its library, has taken the word.
bool IsReservedWord(std::string_view word);

/// The member for a field: its JSON spelling, with an underscore where C++ has that word.
std::string MemberName(const FieldFacts& field);

/// "core/v1" -> "core::v1".
std::string NamespaceOf(std::string_view package);

/// "core/v1" -> "flyball/api/core/v1.h".
std::string HeaderOf(const Package& package);

/// "core/v1.Pod" -> "core::v1::Pod", or "Pod" where `in` is that package.
std::string QualifiedCppName(std::string_view qualified_name, std::string_view in);

/// The member type, as spelled inside the namespace of package `in`.
std::string CppType(const Schema& schema, const TypeRef& type, std::string_view in);

/// A C++ string literal, whatever is in the text.
std::string Quoted(std::string_view text);

/// TypeMeta is inlined everywhere; we flatten it into `kind` and `apiVersion`.
bool IsTypeMeta(const FieldFacts& field);

}  // namespace flyball::gen
