#include "tests/sameness/scenario.h"

#include "tests/scenario/scenario_file.h"

namespace flyball::sameness {
namespace {

using api::Json;
using scenario::ScenarioFile;

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

/// A step's path may leave out its group and namespace: then they are the file's.
std::string Absolute(const std::string& path, const Json::Object& settings) {
  if (path.starts_with('/')) return path;
  const Json* const own = settings.find("group");
  const std::string group = own != nullptr ? *own->If<std::string>() : "v1";
  const std::string root = group.contains('/') ? "/apis/" : "/api/";
  if (path.starts_with("../")) return root + group + path.substr(2);
  return root + group + "/namespaces/$(ns)/" + path;
}

bool Set(Step& step, const std::string& name, const Json& value, const Json::Object& settings) {
  for (const std::string_view method : kMethods) {
    if (name != method) continue;
    step.method = method;
    step.target = Absolute(*value.If<std::string>(), settings);
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

Result<Step> ParseStep(const ScenarioFile::Step& written) {
  Step step;
  for (const auto& [name, value] : *written.tree.If<Json::Object>()) {
    if (Set(step, name, value, written.settings)) continue;
    return Fail(ErrorCode::kMalformed, written.where, "what is \"" + name + "\"?");
  }
  if (step.method.empty()) return Fail(ErrorCode::kMalformed, written.where, "there is no method");
  if (const std::string type = scenario::TextAt(written.tree, "type"); !type.empty()) {
    step.content_type = type == "none" ? "" : type;
  }
  return step;
}

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

Result<Scenario> Scenario::Load(const std::filesystem::path& file) {
  FLYBALL_TRY(auto written, ScenarioFile::Load(file));
  Scenario scenario{.name = std::move(written.name), .text = std::move(written.text), .steps = {}};
  for (const ScenarioFile::Step& each : written.steps) {
    FLYBALL_TRY(Step step, ParseStep(each));
    scenario.steps.push_back(std::move(step));
  }
  return scenario;
}

}  // namespace flyball::sameness
