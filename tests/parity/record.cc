#include "tests/parity/record.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "flyball/base/check.h"
#include "tests/parity/portrait.h"
#include "tests/parity/world.h"
#include "tests/scenario/differences.h"

namespace flyball::parity {
namespace {

using api::Json;
using scenario::Readable;

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

constexpr std::string_view kEvents = "events";
constexpr std::string_view kSince = "since";
constexpr std::string_view kCheckpoint = "checkpoint: ";
constexpr std::string_view kLike = " like ";

/// What a manager and the server see to in each namespace, in one called NS of a scenario NAME.
constexpr const char* kEveryNamespace = R"json({
"configmaps/kube-root-ca.crt in NS": {"apiVersion": "v1", "data": {"ca.crt": "<authority>"},
  "kind": "ConfigMap", "metadata": {"annotations": {"kubernetes.io/description":
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."},
  "creationTimestamp": "<time>", "managedFields": [{"apiVersion": "v1", "fieldsType": "FieldsV1",
  "fieldsV1": {"f:data": {".": {}, "f:ca.crt": {}}, "f:metadata": {"f:annotations": {".": {},
  "f:kubernetes.io/description": {}}}}, "manager": "kube-controller-manager",
  "operation": "Update"}], "name": "kube-root-ca.crt", "namespace": "NS",
  "uid": "<uid of configmaps/kube-root-ca.crt in NS>"}},
"namespaces/NS": {"apiVersion": "v1", "kind": "Namespace", "metadata": {
  "creationTimestamp": "<time>", "labels": {"kubernetes.io/metadata.name": "NS",
  "parity.flyball.dev/scenario": "NAME"}, "managedFields": [{"apiVersion": "v1",
  "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {".": {},
  "f:kubernetes.io/metadata.name": {}, "f:parity.flyball.dev/scenario": {}}}},
  "manager": "people", "operation": "Update"}], "name": "NS", "uid": "<uid of namespaces/NS>"},
  "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}},
"serviceaccounts/default in NS": {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
  "creationTimestamp": "<time>", "name": "default", "namespace": "NS",
  "uid": "<uid of serviceaccounts/default in NS>"}}})json";

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty() || from == to) return;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// An object as lines: members of the topmost maps, entries of managed fields, and the rest, each
/// with its JSON. Numbers in places have three digits, so that the order of names is theirs.
using Lines = std::map<std::string, std::string>;

bool IsPlain(std::string_view name) {
  return !name.empty() && name.find_first_of(".[]: \n-\"") == std::string_view::npos;
}

std::string Numbered(const std::string& name, std::size_t index) {
  std::string digits = std::to_string(index);
  digits.insert(0, 3 - std::min<std::size_t>(digits.size(), 3), '0');
  return name + "[" + digits + "]";
}

bool HasLinesOfItsOwn(std::string_view name, const Json& value) {
  const auto* const members = value.If<Json::Object>();
  if (members == nullptr || members->empty()) return false;
  if (name != "metadata" && name != "spec" && name != "status") return false;
  return std::ranges::all_of(*members, [](const auto& each) { return IsPlain(each.first); });
}

Lines LinesOf(const Json& object) {
  Lines lines;
  for (const auto& [name, value] : *object.If<Json::Object>()) {
    FLYBALL_CHECK(IsPlain(name), name);
    if (!HasLinesOfItsOwn(name, value)) {
      lines[name] = Readable(value);
      continue;
    }
    for (const auto& [below, inner] : *value.If<Json::Object>()) {
      const std::string path = name + "." + below;
      const auto* const list = inner.If<Json::Array>();
      if (below != "managedFields" || list == nullptr || list->empty()) {
        lines[path] = Readable(inner);
        continue;
      }
      for (std::size_t i = 0; i < list->size(); ++i)
        lines[Numbered(path, i)] = Readable((*list)[i]);
    }
  }
  return lines;
}

Result<Json> ObjectOf(const Lines& lines) {
  Json::Object object;
  for (const auto& [path, text] : lines) {
    FLYBALL_TRY(Json value, Json::Parse(text));
    const auto dot = path.find('.');
    if (dot == std::string::npos) {
      object[path] = std::move(value);
      continue;
    }
    Json& top = object[path.substr(0, dot)];
    if (top.If<Json::Object>() == nullptr) top = Json::Object();
    const auto bracket = path.find('[');
    Json& member = (*top.If<Json::Object>())[path.substr(dot + 1, bracket - dot - 1)];
    if (bracket == std::string::npos) {
      member = std::move(value);
    } else {
      if (member.If<Json::Array>() == nullptr) member = Json::Array();
      member.If<Json::Array>()->push_back(std::move(value));
    }
  }
  return Json(std::move(object));
}

/// What turns the lines of one object into those of another.
std::vector<std::string> Changes(const Lines& from, const Lines& to) {
  std::vector<std::string> changes;
  for (const auto& [path, text] : to) {
    const auto before = from.find(path);
    if (before != from.end() && before->second == text) continue;
    changes.push_back("  " + path + ": " + text + "\n");
  }
  for (const auto& [path, text] : from) {
    if (!to.contains(path)) changes.push_back("  -" + path + "\n");
  }
  return changes;
}

std::size_t SizeOf(const std::vector<std::string>& lines) {
  std::size_t size = 0;
  for (const std::string& each : lines) size += each.size();
  return size;
}

/// The lines that an object would have if it were like another but for its names. It is new.
Result<Lines> LinesLike(const std::string& other, const Json& tree, const std::string& name,
                        const std::string& checkpoint) {
  FLYBALL_TRY(const Reference its, Reference::Parse(other));
  FLYBALL_TRY(const Reference mine, Reference::Parse(name));
  Json::Object object = *tree.If<Json::Object>();
  object[kSince] = checkpoint;
  Lines lines = LinesOf(object);
  for (auto& [path, text] : lines) {
    if (path == kSince) continue;
    ReplaceAll(text, its.key.namespace_, mine.key.namespace_);
    ReplaceAll(text, its.key.name, mine.key.name);
  }
  return lines;
}

std::string KindOf(std::string_view reference) {
  return std::string(reference.substr(0, reference.find('/')));
}

Json::Object EveryNamespace(const std::string& scenario, const std::string& space,
                            const std::string& checkpoint) {
  std::string text = kEveryNamespace;
  ReplaceAll(text, "NAME", scenario);
  ReplaceAll(text, "NS", space);
  Json tree = *Json::Parse(text);
  for (auto& [name, object] : *tree.If<Json::Object>()) {
    (*object.If<Json::Object>())[kSince] = checkpoint;
  }
  Json::Object world = *tree.If<Json::Object>();
  world[kEvents] = Json::Object();
  return world;
}

/// Writes what has changed from one checkpoint to the next.
class Writer {
 public:
  Writer(Json::Object world, std::string& text) : before_(std::move(world)), text_(text) {}

  void Write(const Record::Checkpoint& checkpoint) {
    text_.append(kCheckpoint).append(checkpoint.name).append("\n");
    const auto& now = *checkpoint.portrait.If<Json::Object>();
    for (const auto& [name, object] : now) {
      if (name == kEvents) continue;
      if (const Json* const was = before_.find(name)) {
        WriteLines("~ " + name, Changes(LinesOf(*was), LinesOf(object)));
      } else {
        WriteNew(name, object, checkpoint);
      }
      seen_[name] = object;
    }
    for (const auto& [name, object] : before_) {
      if (now.find(name) == nullptr) text_ += "- " + name + "\n";
    }
    WriteEvents(*before_.find(kEvents)->If<Json::Object>(), *now.find(kEvents)->If<Json::Object>());
    before_ = now;
    seen_.clear();
  }

 private:
  void WriteLines(const std::string& head, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text_ += head + "\n";
    for (const std::string& each : lines) text_ += each;
  }

  void WriteNew(const std::string& name, const Json& object, const Record::Checkpoint& checkpoint) {
    const Lines own = LinesOf(object);
    std::string head = "+ " + name;
    std::vector<std::string> least =
        Changes({{std::string(kSince), Readable(checkpoint.name)}}, own);
    for (const auto* const among : {&before_, &seen_}) {
      for (const auto& [other, tree] : *among) {
        if (other == kEvents || KindOf(other) != KindOf(name)) continue;
        // One that is there still looks to the reader as it does now, once that is written.
        if (among == &before_ && seen_.find(other) != nullptr) continue;
        const auto lines = LinesLike(other, tree, name, checkpoint.name);
        if (!lines) continue;
        auto changes = Changes(*lines, own);
        if (SizeOf(changes) + other.size() >= SizeOf(least)) continue;
        least = std::move(changes);
        head = "+ " + name + std::string(kLike) + other;
      }
    }
    text_ += head + "\n";
    for (const std::string& each : least) text_ += each;
  }

  void WriteEvents(const Json::Object& before, const Json::Object& now) {
    for (const auto& [headline, event] : now) {
      const Json* const was = before.find(headline);
      if (was == nullptr || *was != event) text_ += "! " + Readable(event) + "\n";
    }
    for (const auto& [headline, event] : before) {
      if (now.find(headline) == nullptr) text_ += "-! " + Readable(headline) + "\n";
    }
  }

  Json::Object before_;
  Json::Object seen_;  // of this checkpoint
  std::string& text_;
};

std::unexpected<Error> Malformed(std::string_view line) {
  return Fail(ErrorCode::kMalformed, "a record has no such line: " + std::string(line));
}

/// Reads what Writer wrote.
class Reader {
 public:
  explicit Reader(std::string scenario, std::string space)
      : scenario_(std::move(scenario)), space_(std::move(space)) {}

  Result<> Read(std::string_view line) {
    if (line.starts_with(kCheckpoint)) {
      FLYBALL_TRY(EndCheckpoint());
      checkpoint_ = line.substr(kCheckpoint.size());
      if (record_.checkpoints.empty()) world_ = EveryNamespace(scenario_, space_, *checkpoint_);
      before_ = world_;
      return {};
    }
    if (!checkpoint_) return Malformed(line);
    if (line.starts_with("  ")) return ReadMember(line.substr(2));
    FLYBALL_TRY(EndObject());
    if (line.starts_with("-! ")) return ReadGoneEvent(line.substr(3));
    if (line.starts_with("! ")) return ReadEvent(line.substr(2));
    if (line.starts_with("+ ") || line.starts_with("~ ")) return BeginObject(line);
    if (!line.starts_with("- ") || world_.find(line.substr(2)) == nullptr) return Malformed(line);
    world_.erase(line.substr(2));
    return {};
  }

  Result<Record> Finish() {
    FLYBALL_TRY(EndCheckpoint());
    return std::move(record_);
  }

 private:
  Result<> EndCheckpoint() {
    FLYBALL_TRY(EndObject());
    if (checkpoint_) record_.checkpoints.push_back({*checkpoint_, world_});
    return {};
  }

  Result<> BeginObject(std::string_view line) {
    object_ = line.substr(2);
    lines_.clear();
    if (line.starts_with('~')) {
      const Json* const was = before_.find(*object_);
      if (was == nullptr) return Malformed(line);
      lines_ = LinesOf(*was);
      return {};
    }
    const auto like = object_->find(kLike);
    if (like == std::string::npos) {
      lines_[std::string(kSince)] = Readable(*checkpoint_);
      return {};
    }
    const std::string other = object_->substr(like + kLike.size());
    object_->resize(like);
    const Json* const tree = world_.find(other);
    if (tree == nullptr) return Malformed(line);
    FLYBALL_TRY(lines_, LinesLike(other, *tree, *object_, *checkpoint_));
    return {};
  }

  Result<> ReadMember(std::string_view line) {
    if (!object_) return Malformed(line);
    if (line.starts_with('-')) {
      if (lines_.erase(std::string(line.substr(1))) == 0) return Malformed(line);
      return {};
    }
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) return Malformed(line);
    lines_[std::string(line.substr(0, colon))] = line.substr(colon + 2);
    return {};
  }

  Result<> EndObject() {
    if (!object_) return {};
    FLYBALL_TRY(world_[*object_], ObjectOf(lines_));
    object_.reset();
    return {};
  }

  Result<> ReadEvent(std::string_view text) {
    FLYBALL_TRY(Json event, Json::Parse(text));
    if (event.If<Json::Object>() == nullptr) return Malformed(text);
    Json::Object& events = *world_.find(kEvents)->If<Json::Object>();
    events[HeadlineOf(event)] = std::move(event);
    return {};
  }

  Result<> ReadGoneEvent(std::string_view text) {
    FLYBALL_TRY(const Json headline, Json::Parse(text));
    const auto* const name = headline.If<std::string>();
    Json::Object& events = *world_.find(kEvents)->If<Json::Object>();
    if (name == nullptr || events.find(*name) == nullptr) return Malformed(text);
    events.erase(*name);
    return {};
  }

  const std::string scenario_;
  const std::string space_;
  Record record_;
  std::optional<std::string> checkpoint_;
  Json::Object before_;
  Json::Object world_;
  std::optional<std::string> object_;  // that is being read
  Lines lines_;                        // its
};

}  // namespace

Json Record::ToJson() const {
  Json::Array list;
  for (const Checkpoint& each : checkpoints) {
    list.emplace_back(Json::Object{{"name", each.name}, {"portrait", each.portrait}});
  }
  return list;
}

std::string RecordSource::StaleFor(const RecordSource& today, const std::string& name) const {
  if (*this == today) return "";
  std::string text = "upstream's record of " + name + " is stale: ";
  if (dialect != today.dialect) {
    text += "records are written in another way now";
  } else if (kubernetes != today.kubernetes) {
    text += "it is of Kubernetes " + kubernetes;
  } else {
    text += "the scenario has changed";
  }
  return text + ". To record it anew: make parity-records SCENARIO=" + name;
}

std::string RecordFile::ToText(const std::string& scenario, const std::string& space) const {
  std::string text = "dialect: " + std::to_string(source.dialect) +
                     "\nkubernetes: " + source.kubernetes + "\nscenario: " + source.scenario + "\n";
  if (record.checkpoints.empty()) return text;
  Writer writer(EveryNamespace(scenario, space, record.checkpoints.front().name), text);
  for (const Record::Checkpoint& each : record.checkpoints) writer.Write(each);
  return text;
}

Result<RecordFile> RecordFile::Parse(std::string_view text, const std::string& scenario,
                                     const std::string& space) {
  RecordFile file;
  Reader reader(scenario, space);
  const auto value = [](std::string_view line) {
    return std::string(line.substr(std::min(line.find(": ") + 2, line.size())));
  };
  for (int number = 0; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 0) {
      const std::string digits = value(line);
      std::from_chars(digits.data(), digits.data() + digits.size(), file.source.dialect);
    } else if (number == 1) {
      file.source.kubernetes = value(line);
    } else if (number == 2) {
      file.source.scenario = value(line);
    } else {
      // What is written in another way cannot be read, and need not be.
      if (file.source.dialect != kDialect) return file;
      FLYBALL_TRY(reader.Read(line));
    }
  }
  FLYBALL_TRY(file.record, reader.Finish());
  return file;
}

std::string Pretty(const Json& tree) {
  std::string text;
  PrettyInto(tree, "", text);
  return text + "\n";
}

}  // namespace flyball::parity
