#include "tests/sameness/scenario.h"

#include <fstream>
#include <sstream>

#include "flyball/api/yaml_reader.h"
#include "tests/sameness/placeholders.h"

namespace flyball::sameness {
namespace {

using api::Json;
namespace fs = std::filesystem;

constexpr std::string_view kMethods[] = {"GET",    "HEAD",    "POST",  "PUT",   "PATCH",
                                         "DELETE", "OPTIONS", "TRACE", "FORGET"};

struct BodyForm {
  std::string_view member;
  Step::Form form;
  std::string_view content_type;
};
constexpr BodyForm kBodyForms[] = {
    {"body", Step::Form::kJson, "application/json"},
    {"merge", Step::Form::kJson, "application/merge-patch+json"},
    {"strategic", Step::Form::kJson, "application/strategic-merge-patch+json"},
    {"json", Step::Form::kJson, "application/json-patch+json"},
    {"apply", Step::Form::kJson, "application/apply-patch+yaml"},
    {"text", Step::Form::kText, "application/json"},
    {"protobuf", Step::Form::kProtobuf, "application/vnd.kubernetes.protobuf"},
    {"base64", Step::Form::kBase64, "application/vnd.kubernetes.protobuf"},
};

Result<Json> ParseYaml(std::string_view text, const fs::path& file) {
  api::JsonTreeSink sink;
  if (auto read = api::ReadYaml(text, sink); !read) {
    return std::unexpected(read.error().Wrap(file.string()));
  }
  return sink.Take();
}

std::string TextAt(const Json& tree, std::string_view name) {
  const Json* const member = tree.Find(name);
  if (member == nullptr) return {};
  const auto* const text = member->If<std::string>();
  return text != nullptr ? *text : member->ToString();
}

/// A scenario while it is read: parts are files of their own, and may have parts.
class Reader {
 public:
  Reader(Scenario& scenario, fs::path folder) : scenario_(scenario), folder_(std::move(folder)) {}

  /// The steps of a file, with `values` for the names that it leaves open.
  Result<> Read(const fs::path& file, const Values& values) {
    FLYBALL_TRY(const std::string text, LoadText(file));
    scenario_.text += text;
    FLYBALL_TRY(const Json tree, ParseYaml(text, file));
    const Json* const steps = tree.Find("steps");
    if (steps == nullptr || steps->If<Json::Array>() == nullptr) {
      return Fail(ErrorCode::kMalformed, file.string() + ": there are no steps");
    }
    const std::string outer = group_;
    if (const std::string own = TextAt(tree, "group"); !own.empty()) group_ = own;
    for (const Json& each : *steps->If<Json::Array>()) {
      if (auto added = Add(FillIn(each, values)); !added) {
        return std::unexpected(added.error().Wrap(file.string() + ": " + each.ToString()));
      }
    }
    group_ = outer;
    return {};
  }

 private:
  Result<> Add(const Json& tree) {
    if (const std::string part = TextAt(tree, "play"); !part.empty()) {
      Values values;
      if (const Json* const with = tree.Find("with")) {
        for (const auto& [name, value] : *with->If<Json::Object>()) values[name] = value;
      }
      return Read(folder_ / "parts" / (part + ".yaml"), values);
    }
    Step step;
    for (const auto& [name, value] : *tree.If<Json::Object>()) {
      if (!Set(step, name, value)) return Fail(ErrorCode::kMalformed, "what is \"" + name + "\"?");
    }
    if (step.method.empty()) return Fail(ErrorCode::kMalformed, "there is no method");
    if (const std::string type = TextAt(tree, "type"); !type.empty()) {
      step.content_type = type == "none" ? "" : type;
    }
    scenario_.steps.push_back(std::move(step));
    return {};
  }

  bool Set(Step& step, const std::string& name, const Json& value) {
    for (const std::string_view method : kMethods) {
      if (name != method) continue;
      step.method = method;
      step.target = Absolute(*value.If<std::string>());
      return true;
    }
    for (const BodyForm& form : kBodyForms) {
      if (name != form.member) continue;
      step.form = form.form;
      step.body = value;
      step.content_type = form.content_type;
      return true;
    }
    if (name == "keep") {
      for (const auto& [key, path] : *value.If<Json::Object>()) {
        step.keep.emplace_back(key, *path.If<std::string>());
      }
    } else if (name == "until") {
      step.until = static_cast<int>(*value.If<std::int64_t>());
    } else if (name == "accept") {
      step.accept = *value.If<std::string>();
    } else if (name == "token") {
      step.token = *value.If<std::string>();
      step.has_token = true;
    } else {
      return name == "type";
    }
    return true;
  }

  /// Paths that do not begin with a slash are in the scenario's group and namespace.
  std::string Absolute(const std::string& path) const {
    if (path.starts_with('/')) return path;
    const std::string root = group_.contains('/') ? "/apis/" : "/api/";
    if (path.starts_with("../")) return root + group_ + path.substr(2);
    return root + group_ + "/namespaces/$(ns)/" + path;
  }

  Scenario& scenario_;
  const fs::path folder_;
  std::string group_ = "v1";
};

}  // namespace

std::string Step::Describe() const {
  std::string text = method + " " + target;
  if (!accept.empty()) text += " (accepts " + accept + ")";
  if (form != Form::kNone) {
    std::string shown =
        body.If<std::string>() != nullptr ? *body.If<std::string>() : body.ToString();
    constexpr std::size_t kShown = 400;
    if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
    text += " (" + content_type + ") " + shown;
  }
  return text;
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

Result<Scenario> Scenario::Load(const fs::path& file) {
  Scenario scenario;
  scenario.name = file.stem().string();
  FLYBALL_TRY(Reader(scenario, file.parent_path()).Read(file, {}));
  return scenario;
}

}  // namespace flyball::sameness
