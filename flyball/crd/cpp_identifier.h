#pragma once

#include <set>
#include <string>
#include <string_view>

#include "flyball/gen/schema.h"

/// C++ names for what a CRD calls things. The same input always gives the same names.
namespace flyball::crd {

/// Text as an identifier: what cannot stand in one joins words ("foo-bar" -> "fooBar"), a digit in
/// front gets an underscore, a word that C++ has gets one behind. Text with nothing to use is
/// "field".
std::string MemberIdentifier(std::string_view text);

/// The same with a capital: a part of a struct's name.
std::string TypeIdentifier(std::string_view text);

/// The same with all else turned into underscores: "cert-manager.io" -> "cert_manager_io".
std::string NamespaceIdentifier(std::string_view text);

/// Names that must differ. The first to ask gets the name, the next one the name with a 2.
class NameSet {
 public:
  NameSet() = default;
  explicit NameSet(std::set<std::string> taken) : taken_(std::move(taken)) {}

  std::string Take(const std::string& wanted);
  /// False if it is taken.
  bool TakeExactly(const std::string& name) { return taken_.insert(name).second; }

 private:
  std::set<std::string> taken_;
};

/// Gives every field of a package's structs a member name that is an identifier, that no other
/// member has, and that hides no type.
void AssignMemberNames(gen::Package& package);

}  // namespace flyball::crd
