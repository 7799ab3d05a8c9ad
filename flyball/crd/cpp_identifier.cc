#include "flyball/crd/cpp_identifier.h"

#include "flyball/gen/cpp_names.h"

namespace flyball::crd {
namespace {

/// ASCII, whatever the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsWord(char c) { return IsDigit(c) || IsLower(c) || (c >= 'A' && c <= 'Z'); }
char Upper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

/// Two underscores in a row, and one before a capital, belong to the compiler.
std::string Joined(std::string_view text) {
  std::string name;
  bool new_word = false;
  for (const char c : text) {
    if (c == '_' && !name.empty() && name.back() != '_' && !new_word) {
      name += c;
    } else if (IsWord(c)) {
      name += new_word && !name.empty() && name.back() != '_' ? Upper(c) : c;
      new_word = false;
    } else {
      new_word = true;
    }
  }
  return name;
}

std::string Usable(std::string name) {
  if (name.empty()) name = "field";
  if (IsDigit(name.front())) name.insert(0, "_");
  if (gen::IsReservedWord(name)) name += '_';
  return name;
}

}  // namespace

std::string MemberIdentifier(std::string_view text) { return Usable(Joined(text)); }

std::string TypeIdentifier(std::string_view text) {
  std::string name = Joined(text);
  if (!name.empty()) name.front() = Upper(name.front());
  return name.empty() ? "Field" : Usable(name);
}

std::string NamespaceIdentifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool joins = !IsWord(c);
    if (!joins) name += c;
    if (joins && !name.empty() && name.back() != '_') name += '_';
  }
  return Usable(name);
}

std::string NameSet::Take(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !TakeExactly(name); ++n) name = wanted + std::to_string(n);
  return name;
}

void AssignMemberNames(gen::Package& package) {
  // Inside a struct, a member that is called like a type or a namespace in use there would hide it.
  std::set<std::string> types = {"api", "flyball", "meta", "std", "kType", "unknown_fields"};
  for (const auto& facts : package.structs) types.insert(facts.name);
  for (auto& facts : package.structs) {
    NameSet names(types);
    if (facts.is_kind) {
      for (const auto* name : {"apiVersion", "kind"}) names.TakeExactly(name);
    }
    for (const auto& field : facts.fields) {
      if (!field.inlined && !field.structural) names.TakeExactly(field.json_name);
    }
    // Names that can stay as they are go first, so that they do.
    for (const bool as_is : {true, false}) {
      for (auto& field : facts.fields) {
        const std::string name = MemberIdentifier(field.json_name);
        if (field.inlined || !field.structural || (name == field.json_name) != as_is) continue;
        field.cpp_name = names.Take(name);
      }
    }
  }
}

}  // namespace flyball::crd
