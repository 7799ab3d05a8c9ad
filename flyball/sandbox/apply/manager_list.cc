#include "flyball/sandbox/apply/manager_list.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "flyball/api/json_writer.h"
#include "flyball/base/log_format.h"
#include "flyball/sandbox/apply/fields_v1.h"

namespace flyball::sandbox::apply {
namespace {

constexpr std::string_view kOldUpdates = "ancient-changes";

std::string_view Name(Operation operation) {
  return operation == Operation::kApply ? "Apply" : "Update";
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendGoQuoted(out, text);
  return out;
}

Result<Manager> ReadEntry(const meta::v1::ManagedFieldsEntry& entry, std::size_t position) {
  const auto refuse = [](std::string why) { return Fail(ErrorCode::kInvalid, std::move(why)); };
  const bool applied = entry.operation == "Apply";
  if (!applied && entry.operation != "Update")
    return refuse("operation must be `Apply` or `Update`");
  if (entry.apiVersion.empty()) return refuse("apiVersion must not be empty");
  if (entry.fieldsType.empty()) {
    return refuse("missing fieldsType in managed fields entry " + std::to_string(position));
  }
  if (entry.fieldsType != "FieldsV1") {
    return refuse("invalid fieldsType " + Quoted(entry.fieldsType) + " in managed fields entry " +
                  std::to_string(position));
  }
  Manager manager;
  manager.id = applied ? ManagerId::Applier(entry.manager, entry.subresource)
                       : ManagerId::Updater(entry.manager, entry.apiVersion, entry.subresource);
  manager.api_version = entry.apiVersion;
  manager.time = entry.time;
  if (!entry.fieldsV1 || entry.fieldsV1->empty()) return manager;
  FLYBALL_TRY(ReadFields read, ReadFieldsV1(entry.fieldsV1->raw));
  manager.fields = std::move(read.fields);
  if (read.canonical) manager.text = entry.fieldsV1->raw;
  return manager;
}

std::int64_t Seconds(const std::optional<api::Time>& time) {
  return time ? time->unix_seconds() : 0;
}

}  // namespace

ManagerId ManagerId::Updater(std::string name, std::string api_version, std::string subresource) {
  return {std::move(name), Operation::kUpdate, std::move(api_version), std::move(subresource)};
}

ManagerId ManagerId::Applier(std::string name, std::string subresource) {
  return {std::move(name), Operation::kApply, "", std::move(subresource)};
}

std::string ManagerId::ToText() const {
  std::string text;
  api::JsonWriter writer(text);
  const auto member = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    writer.Key(key);
    writer.String(value);
  };
  writer.BeginObject();
  member("manager", name);
  member("operation", Name(operation));
  member("apiVersion", api_version);
  member("subresource", subresource);
  writer.EndObject();
  return text;
}

std::string ManagerId::Describe() const {
  std::string text = Quoted(name);
  if (!subresource.empty()) text += " with subresource " + Quoted(subresource);
  if (operation == Operation::kUpdate) text += " using " + api_version;
  return text;
}

Result<ManagerList> ManagerList::Read(const Entries& entries) {
  ManagerList list;
  list.managers_.reserve(entries.size() + 1);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    FLYBALL_TRY(Manager manager, ReadEntry(entries[i], i));
    // Of two entries of one manager the later counts.
    if (Manager* known = list.Find(manager.id)) {
      *known = std::move(manager);
    } else {
      list.managers_.push_back(std::move(manager));
    }
  }
  return list;
}

Entries ManagerList::Write() && {
  std::ranges::sort(managers_, [](const Manager& a, const Manager& b) {
    const auto order = [](const Manager& m) {
      return std::tuple(m.id.operation, Seconds(m.time), std::string_view(m.id.name),
                        std::string_view(m.api_version), std::string_view(m.id.subresource));
    };
    return order(a) < order(b);
  });
  Entries entries;
  entries.reserve(managers_.size());
  for (Manager& manager : managers_) {
    auto& entry = entries.emplace_back();
    entry.manager = std::move(manager.id.name);
    entry.operation = Name(manager.id.operation);
    entry.apiVersion = std::move(manager.api_version);
    entry.time = manager.time;
    entry.fieldsType = "FieldsV1";
    entry.fieldsV1 =
        api::RawJson{manager.text ? *std::move(manager.text) : WriteFieldsV1(manager.fields)};
    entry.subresource = std::move(manager.id.subresource);
  }
  return entries;
}

Manager* ManagerList::Find(const ManagerId& id) {
  const auto at = std::ranges::find(managers_, id, &Manager::id);
  return at != managers_.end() ? &*at : nullptr;
}

Manager& ManagerList::At(const ManagerId& id) {
  if (Manager* known = Find(id)) return *known;
  Manager& made = managers_.emplace_back();
  made.id = id;
  return made;
}

void ManagerList::Erase(const ManagerId& id) {
  std::erase_if(managers_, [&](const Manager& manager) { return manager.id == id; });
}

void ManagerList::DropIdle() {
  std::erase_if(managers_, [](const Manager& manager) { return manager.fields.Empty(); });
}

void ManagerList::CapUpdaters(std::size_t most) {
  std::vector<ManagerId> updaters;
  for (const Manager& manager : managers_) {
    if (manager.id.operation == Operation::kUpdate) updaters.push_back(manager.id);
  }
  std::size_t count = updaters.size();
  if (count <= most) return;
  std::ranges::sort(updaters, [&](const ManagerId& a, const ManagerId& b) {
    return std::tuple(Seconds(Find(a)->time), a.ToText()) <
           std::tuple(Seconds(Find(b)->time), b.ToText());
  });
  std::map<std::string, ManagerId> first_of_version;
  for (const ManagerId& id : updaters) {
    if (count <= most) break;
    const std::string version = Find(id)->api_version;
    const auto [first, alone] = first_of_version.try_emplace(version, id);
    if (alone) continue;
    const ManagerId bucket = ManagerId::Updater(std::string(kOldUpdates), version, "");
    if (Find(bucket) == nullptr) Find(first->second)->id = bucket;
    const Manager& merged = *Find(id);
    FieldSet fields = merged.fields;
    const std::optional<api::Time> time = merged.time;
    // PARITY: upstream does not look whether the oldest is the bucket itself, which it then loses.
    Manager& old = *Find(bucket);
    old.Change().Add(std::move(fields));
    old.time = time;
    Erase(id);
    --count;
  }
}

}  // namespace flyball::sandbox::apply
