#include "tests/scenario/scenario_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "flyball/api/yaml_reader.h"
#include "tests/scenario/placeholders.h"

namespace flyball::scenario {
namespace {

using api::Json;
namespace fs = std::filesystem;

Result<Json> ParseYaml(std::string_view text, const fs::path& file) {
  api::JsonTreeSink sink;
  if (auto read = api::ReadYaml(text, sink); !read) {
    return std::unexpected(read.error().Wrap(file.string()));
  }
  return sink.Take();
}

/// A scenario while it is read: parts are files of their own, and may have parts.
class Reader {
 public:
  Reader(ScenarioFile& scenario, fs::path root) : scenario_(scenario), root_(std::move(root)) {}

  /// The steps of a file, with `values` for the names that it leaves open.
  Result<> Read(const fs::path& file, const Values& values, Json::Object settings) {
    FLYBALL_TRY(const std::string text, LoadText(file));
    scenario_.text += text;
    FLYBALL_TRY(const Json tree, ParseYaml(text, file));
    const auto* const members = tree.If<Json::Object>();
    if (members == nullptr) return Fail(ErrorCode::kMalformed, file.string() + ": it is no map");
    for (const auto& [name, value] : *members) {
      if (name != "steps") settings[name] = value;
    }
    if (file == root_) scenario_.settings = settings;
    auto added = AddAll(tree, values, settings, file.filename().string());
    if (!added) return std::unexpected(added.error().Wrap(file.string()));
    return {};
  }

 private:
  Result<> AddAll(const Json& tree, const Values& values, const Json::Object& settings,
                  const std::string& file) {
    const Json* const steps = tree.Find("steps");
    if (steps == nullptr || steps->If<Json::Array>() == nullptr) {
      return Fail(ErrorCode::kMalformed, "there are no steps");
    }
    for (const Json& each : *steps->If<Json::Array>()) {
      if (auto added = Add(each, values, settings, file); !added) {
        return std::unexpected(added.error().Wrap(each.ToString()));
      }
    }
    return {};
  }

  Result<> Add(const Json& tree, const Values& values, const Json::Object& settings,
               const std::string& file) {
    if (tree.If<Json::Object>() == nullptr) return Fail(ErrorCode::kMalformed, "it is no step");
    if (tree.Find("repeat") != nullptr) return Repeat(tree, values, settings, file);
    Json filled = FillIn(tree, values);
    if (const std::string part = TextAt(filled, "play"); !part.empty()) {
      Values given;
      const Json* const with = filled.Find("with");
      if (const auto* const members = with == nullptr ? nullptr : with->If<Json::Object>()) {
        for (const auto& [name, value] : *members) given[name] = value;
      }
      return Read(root_.parent_path() / "parts" / (part + ".yaml"), given, settings);
    }
    std::string where = file + ": " + filled.ToString();
    scenario_.steps.push_back({std::move(filled), settings, std::move(where)});
    return {};
  }

  Result<> Repeat(const Json& tree, Values values, const Json::Object& settings,
                  const std::string& file) {
    const Json times = FillIn(*tree.Find("repeat"), values);
    if (times.If<std::int64_t>() == nullptr) return Fail(ErrorCode::kMalformed, "how many times?");
    const std::string as = TextAt(tree, "as");
    for (std::int64_t i = 0; i < *times.If<std::int64_t>(); ++i) {
      values[as.empty() ? "i" : as] = i;
      FLYBALL_TRY(AddAll(tree, values, settings, file));
    }
    return {};
  }

  ScenarioFile& scenario_;
  const fs::path root_;
};

}  // namespace

Result<ScenarioFile> ScenarioFile::Load(const fs::path& file) {
  ScenarioFile scenario;
  scenario.name = file.stem().string();
  FLYBALL_TRY(Reader(scenario, file).Read(file, {}, {}));
  return scenario;
}

Result<std::string> LoadText(const fs::path& file) {
  const std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return Fail(ErrorCode::kIo, file.string() + ": cannot be read");
  return std::move(text).str();
}

Result<Json> LoadYaml(const fs::path& file) {
  FLYBALL_TRY(const std::string text, LoadText(file));
  return ParseYaml(text, file);
}

std::string TextAt(const Json& tree, std::string_view name) {
  const Json* const member = tree.Find(name);
  if (member == nullptr) return {};
  const auto* const text = member->If<std::string>();
  return text != nullptr ? *text : member->ToString();
}

const Json* FindPath(const Json& tree, std::string_view path) {
  const Json* place = &tree;
  while (place != nullptr && !path.empty()) {
    const auto end = path.find_first_of(".[");
    if (end != 0) place = place->Find(path.substr(0, end));
    path.remove_prefix(std::min(end, path.size()));
    if (path.starts_with('[') && place != nullptr) {
      std::size_t index = 0;
      std::from_chars(path.data() + 1, path.data() + path.size(), index);
      const auto* const list = place->If<Json::Array>();
      place = list != nullptr && index < list->size() ? &(*list)[index] : nullptr;
      path.remove_prefix(path.find(']') + 1);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return place;
}

std::vector<fs::path> ScenariosIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace flyball::scenario
