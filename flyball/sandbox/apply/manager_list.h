#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/api/time.h"
#include "flyball/sandbox/apply/field_set.h"

namespace flyball::sandbox::apply {

using Entries = std::vector<meta::v1::ManagedFieldsEntry>;

/// How a manager wrote: by server-side apply, or in any other way.
enum class Operation : std::uint8_t { kApply, kUpdate };

/// Who a manager is. One who applies is the same in every version of the API; one who updates is
/// another in each.
struct ManagerId {
  std::string name;
  Operation operation = Operation::kUpdate;
  std::string api_version;  ///< empty for one who applies
  std::string subresource;

  static ManagerId Updater(std::string name, std::string api_version, std::string subresource);
  static ManagerId Applier(std::string name, std::string subresource);

  /// The text by which upstream tells managers apart, and which it sorts by.
  std::string ToText() const;
  /// As messages name it: `"kubectl" with subresource "status" using apps/v1`.
  std::string Describe() const;
  friend bool operator==(const ManagerId&, const ManagerId&) = default;
};

/// One manager and what it owns.
struct Manager {
  ManagerId id;
  std::string api_version;  ///< of the paths
  std::optional<api::Time> time;
  FieldSet fields;
  /// The text that `fields` were read from, as long as they are what it says.
  std::optional<std::string> text;

  /// For who changes the fields.
  FieldSet& Change() {
    text.reset();
    return fields;
  }
};

/// The managers of an object: `metadata.managedFields`, read.
class ManagerList {
 public:
  static Result<ManagerList> Read(const Entries& entries);
  /// In upstream's order: those who apply first, then by time, name, version, subresource.
  Entries Write() &&;

  bool Empty() const { return managers_.empty(); }
  Manager* Find(const ManagerId& id);
  /// The manager of that id, made if need be.
  Manager& At(const ManagerId& id);
  std::vector<Manager>& all() { return managers_; }
  const std::vector<Manager>& all() const { return managers_; }
  void Erase(const ManagerId& id);
  /// Takes out those who own nothing any more.
  void DropIdle();

  /// Keeps at most `most` of those who update: the oldest are merged into one, a version each.
  void CapUpdaters(std::size_t most);

 private:
  std::vector<Manager> managers_;
};

}  // namespace flyball::sandbox::apply
