#include "tests/parity/record.h"

#include <cstdint>
#include <cstdio>
#include <system_error>

#include "tests/cluster/written_file.h"
#include "tests/parity/world.h"
#include "tests/scenario/differences.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::parity {
namespace {

using api::Json;
namespace fs = std::filesystem;

/// FNV-1a.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

void PrettyInto(const Json& tree, const std::string& indent, std::string& text) {
  const std::string deeper = indent + "  ";
  const auto* const object = tree.If<Json::Object>();
  const auto* const list = tree.If<Json::Array>();
  if (object != nullptr && !object->empty()) {
    text += "{";
    const char* separator = "\n";
    for (const auto& [name, value] : *object) {
      text += separator + deeper + scenario::Readable(name) + ": ";
      PrettyInto(value, deeper, text);
      separator = ",\n";
    }
    text += "\n" + indent + "}";
  } else if (list != nullptr && !list->empty()) {
    text += "[";
    const char* separator = "\n";
    for (const Json& each : *list) {
      text += separator + deeper;
      PrettyInto(each, deeper, text);
      separator = ",\n";
    }
    text += "\n" + indent + "]";
  } else {
    text += scenario::Readable(tree);
  }
}

}  // namespace

Json Record::ToJson() const {
  Json::Array list;
  for (const Checkpoint& each : checkpoints) {
    list.emplace_back(Json::Object{{"name", each.name}, {"portrait", each.portrait}});
  }
  return list;
}

Result<Record> Record::FromJson(const Json& tree) {
  const auto* const list = tree.If<Json::Array>();
  if (list == nullptr) return Fail(ErrorCode::kMalformed, "it is no record");
  Record record;
  for (const Json& each : *list) {
    const Json* const portrait = each.Find("portrait");
    if (portrait == nullptr) return Fail(ErrorCode::kMalformed, "a checkpoint shows nothing");
    record.checkpoints.push_back({TextAtPath(each, "name"), *portrait});
  }
  return record;
}

fs::path RecordArchive::FileOf(const std::string& scenario, const std::string& depends_on) const {
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx",
                static_cast<unsigned long long>(HashOf(depends_on)));
  return folder_ / (scenario + "-" + digits + ".json");
}

std::optional<Record> RecordArchive::Find(const std::string& scenario,
                                          const std::string& depends_on) const {
  const auto text = scenario::LoadText(FileOf(scenario, depends_on));
  if (!text) return std::nullopt;
  const auto tree = Json::Parse(*text);
  auto record = tree ? Record::FromJson(*tree) : Fail(ErrorCode::kMalformed, "no JSON");
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

Result<> RecordArchive::Keep(const std::string& scenario, const std::string& depends_on,
                             const Record& record) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  const fs::path file = FileOf(scenario, depends_on);
  const fs::path part = file.string() + ".part";
  FLYBALL_TRY(cluster::WriteFile(part, Pretty(record.ToJson())));
  // It gets its name last, so that a file of that name is always whole.
  fs::rename(part, file, failed);
  if (failed) return Fail(ErrorCode::kIo, file.string() + ": " + failed.message());
  return {};
}

std::string Pretty(const Json& tree) {
  std::string text;
  PrettyInto(tree, "", text);
  return text + "\n";
}

}  // namespace flyball::parity
