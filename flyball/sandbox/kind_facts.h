#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flyball::sandbox {

/// A field that selectors may name, and where it is in what is stored.
struct SelectableField {
  constexpr SelectableField(const char* its_name) : SelectableField(its_name, its_name) {}
  constexpr SelectableField(const char* its_name, const char* its_path, const char* other = "")
      : name(its_name), path(its_path), otherwise(other) {}
  std::string_view name;
  std::string_view path;
  std::string_view otherwise;  ///< what is taken if that is empty
};

/// When an object's generation goes up.
enum class Generations : std::uint8_t {
  kNone,     ///< never: it has none
  kContent,  ///< with every change outside of metadata and status
  kChanges,  ///< likewise, and there is none before the first change
};

/// The differences of kinds that have no strategy of their own.
struct KindFacts {
  std::string_view kind = {};  ///< "apps/Deployment"; of the core group "Pod"
  Generations generations = Generations::kNone;
  bool create_on_update = false;      ///< a PUT makes it if it is not there
  bool unconditional_update = true;   ///< a PUT need not say which version it replaces
  bool orphans = false;               ///< what it owns stays when it is deleted, unless asked for
  bool status_when_made = false;      ///< a POST may bring a status
  bool status_alone = false;          ///< with a status comes no metadata, labels and the like
  bool returns_deleted = false;       ///< a DELETE is answered with the object, not with a Status
  std::string_view deprecation = {};  ///< what clients are told of it, if it is to be used no more
  /// What field selectors may name beside metadata.name and metadata.namespace.
  std::span<const SelectableField> selectable = {};
};

/// Those of a built-in kind.
KindFacts FactsOf(std::string_view group, std::string_view kind);

}  // namespace flyball::sandbox
