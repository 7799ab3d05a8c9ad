#include "tests/parity/scenario.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "flyball/api/duration.h"

namespace flyball::parity {
namespace {

using api::Json;
using scenario::TextAt;
using namespace std::chrono_literals;

constexpr auto kSettle = 1s;

/// Steps that are a patch by another name.
struct Wording {
  std::string_view name;
  std::string_view plural;
  std::string_view patch;
};
constexpr Wording kWordings[] = {
    {"finish", "pods",
     R"({"metadata":{"annotations":{"simulation.flyball.dev/run-time":"1ms",)"
     R"("simulation.flyball.dev/exit-code":"0"}}})"},
    {"fail", "pods",
     R"({"metadata":{"annotations":{"simulation.flyball.dev/run-time":"1ms",)"
     R"("simulation.flyball.dev/exit-code":"1"}}})"},
    {"crash", "pods", R"({"metadata":{"annotations":{"simulation.flyball.dev/crash":"true"}}})"},
    {"unready", "pods", R"({"metadata":{"annotations":{"simulation.flyball.dev/ready":"false"}}})"},
    {"ready", "pods", R"({"metadata":{"annotations":{"simulation.flyball.dev/ready":null}}})"},
    {"cordon", "nodes", R"({"spec":{"unschedulable":true}})"},
    {"uncordon", "nodes", R"({"spec":{"unschedulable":null}})"},
    {"silence", "nodes",
     R"({"metadata":{"annotations":{"simulation.flyball.dev/silent":"true"}}})"},
    {"wake", "nodes", R"({"metadata":{"annotations":{"simulation.flyball.dev/silent":null}}})"},
};

struct PatchForm {
  std::string_view member;
  client::PatchType type;
};
constexpr PatchForm kPatchForms[] = {{"merge", client::PatchType::kMerge},
                                     {"strategic", client::PatchType::kStrategic},
                                     {"json", client::PatchType::kJson}};

/// The step's own verb, and the members that may stand beside it.
using Setter = Result<> (*)(Step& step, const Json& value);

Result<> Complain(std::string_view what) { return Fail(ErrorCode::kMalformed, std::string(what)); }

Result<> SetObject(Step& step, Step::Kind kind, const Json& value) {
  step.kind = kind;
  step.object = value;
  const bool whole = !TextAt(value, "apiVersion").empty() && !TextAt(value, "kind").empty();
  return whole ? Result<>() : Complain("it needs an apiVersion and a kind");
}

Result<> SetTarget(Step& step, Step::Kind kind, const Json& value) {
  step.kind = kind;
  if (value.If<std::string>() == nullptr) return Complain("which one?");
  FLYBALL_TRY(step.target.reference, Reference::Parse(*value.If<std::string>()));
  return {};
}

Result<> SetTime(Step& step, const Json& value) {
  FLYBALL_TRY(step.time,
              api::ParseDuration(value.If<std::string>() ? *value.If<std::string>() : ""));
  return {};
}

Result<> SetKept(Step& step, const Json& value) {
  if (value.If<Json::Object>() == nullptr) return Complain("keep what?");
  for (const auto& [name, path] : *value.If<Json::Object>()) {
    if (path.If<std::string>() == nullptr) return Complain("keep what?");
    step.keep.emplace_back(name, *path.If<std::string>());
  }
  return {};
}

struct Member {
  std::string_view name;
  Setter set;
};
constexpr Member kMembers[] = {
    {"create", [](Step& s, const Json& v) { return SetObject(s, Step::Kind::kCreate, v); }},
    {"apply", [](Step& s, const Json& v) { return SetObject(s, Step::Kind::kApply, v); }},
    {"patch", [](Step& s, const Json& v) { return SetTarget(s, Step::Kind::kPatch, v); }},
    {"delete", [](Step& s, const Json& v) { return SetTarget(s, Step::Kind::kDelete, v); }},
    {"evict",
     [](Step& s, const Json& v) -> Result<> {
       FLYBALL_TRY(SetTarget(s, Step::Kind::kEvict, v));
       return s.target.reference.plural == "pods" ? Result<>() : Complain("only pods can be");
     }},
    {"keep", SetKept},
    {"like",
     [](Step& s, const Json& v) {
       s.target.like = v;
       return Result<>();
     }},
    {"count",
     [](Step& s, const Json& v) {
       if (v.If<std::int64_t>() == nullptr) return Complain("how many?");
       s.target.count = *v.If<std::int64_t>();
       return Result<>();
     }},
    {"subresource",
     [](Step& s, const Json& v) {
       if (v.If<std::string>() == nullptr) return Complain("which subresource?");
       s.subresource = *v.If<std::string>();
       return Result<>();
     }},
    {"propagation",
     [](Step& s, const Json& v) {
       if (v.If<std::string>() == nullptr) return Complain("Foreground, Background or Orphan?");
       s.deletion.propagationPolicy = *v.If<std::string>();
       return Result<>();
     }},
    {"grace",
     [](Step& s, const Json& v) {
       if (v.If<std::int64_t>() == nullptr) return Complain("how many seconds?");
       s.deletion.gracePeriodSeconds = *v.If<std::int64_t>();
       return Result<>();
     }},
    {"wait",
     [](Step& s, const Json& v) {
       s.kind = Step::Kind::kWait;
       return SetTime(s, v);
     }},
    {"settle", SetTime},
    {"checkpoint",
     [](Step& s, const Json& v) {
       if (v.If<std::string>() == nullptr) return Complain("of what name?");
       s.kind = Step::Kind::kCheckpoint;
       s.checkpoint = *v.If<std::string>();
       if (s.time == 0s) s.time = kSettle;
       return Result<>();
     }},
    {"restart",
     [](Step& s, const Json& v) {
       s.kind = Step::Kind::kRestart;
       return v == Json("manager") ? Result<>() : Complain("only the manager can be");
     }},
    {"flags",
     [](Step& s, const Json& v) {
       if (v.If<Json::Array>() == nullptr) return Complain("a list of which?");
       for (const Json& each : *v.If<Json::Array>()) {
         if (each.If<std::string>() == nullptr) return Complain("a list of which?");
         s.flags.push_back(*each.If<std::string>());
       }
       return Result<>();
     }},
    {"until",
     [](Step& s, const Json& v) -> Result<> {
       FLYBALL_TRY(s.until, Expectations::Parse(v));
       return {};
     }},
};

/// FNV-1a, of all lines but comments and who can play it: they change nothing of what comes of it.
std::string DigestOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with('#') || line.starts_with("server:")) continue;
    for (const char byte : line) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  std::array<char, 16> digits = {};
  const auto written = std::to_chars(digits.begin(), digits.end(), hash, 16);
  return {digits.begin(), written.ptr};
}

Result<std::vector<std::string>> ControllersIn(const Json* list) {
  std::vector<std::string> names;
  if (list == nullptr) return names;
  if (list->If<Json::Array>() == nullptr) return Fail(ErrorCode::kMalformed, "without: a list?");
  for (const Json& each : *list->If<Json::Array>()) {
    if (each.If<std::string>() == nullptr) return Fail(ErrorCode::kMalformed, "without: a list?");
    names.push_back(*each.If<std::string>());
  }
  return names;
}

Result<> Set(Step& step, const std::string& name, const Json& value) {
  const auto* const member = std::ranges::find(kMembers, name, &Member::name);
  if (member != std::end(kMembers)) return member->set(step, value);
  const auto* const form = std::ranges::find(kPatchForms, name, &PatchForm::member);
  if (form != std::end(kPatchForms)) {
    step.patch = {form->type, value.ToString()};
    return {};
  }
  const auto* const wording = std::ranges::find(kWordings, name, &Wording::name);
  if (wording == std::end(kWordings)) return Complain("what is that?");
  FLYBALL_TRY(SetTarget(step, Step::Kind::kPatch, value));
  if (step.target.reference.plural != wording->plural) {
    return Complain("only " + std::string(wording->plural) + " can do that");
  }
  step.patch = {client::PatchType::kMerge, std::string(wording->patch)};
  return {};
}

}  // namespace

Result<Step> Step::Parse(const Json& tree) {
  Step step;
  for (const auto& [name, value] : *tree.If<Json::Object>()) {
    if (auto set = Set(step, name, value); !set) return std::unexpected(set.error().Wrap(name));
  }
  if (step.kind == Kind::kPatch && step.patch.text.empty()) {
    return Fail(ErrorCode::kMalformed, "there is no patch");
  }
  const bool many = step.target.reference.key.name.empty();
  const bool of_like = step.kind == Kind::kPatch || step.kind == Kind::kEvict;
  if (of_like && many && !step.target.like) {
    return Fail(ErrorCode::kMalformed, "all of them? then say like: {}");
  }
  return step;
}

Result<Scenario> Scenario::Load(const std::filesystem::path& file) {
  FLYBALL_TRY(auto written, scenario::ScenarioFile::Load(file));
  const Json* const alone = written.settings.find("alone");
  const Json* const server = written.settings.find("server");
  if (server != nullptr && *server != Json("real")) {
    return Fail(ErrorCode::kMalformed, file.string() + ": server: real, or nothing");
  }
  FLYBALL_TRY(auto without, ControllersIn(written.settings.find("without")));
  Scenario scenario{.name = written.name,
                    .text = std::move(written.text),
                    .space = "parity-" + written.name,
                    // The manager has to be started again for who needs another one.
                    .alone = (alone != nullptr && *alone == Json(true)) || !without.empty(),
                    .on_real_server = server != nullptr,
                    .without = std::move(without),
                    .digest = {},
                    .steps = std::move(written.steps)};
  scenario.digest = DigestOf(scenario.text);
  // What cannot be read is to show before anything is played.
  for (const auto& step : scenario.steps) {
    if (auto parsed = Step::Parse(step.tree); !parsed) {
      return std::unexpected(parsed.error().Wrap(step.where));
    }
  }
  return scenario;
}

}  // namespace flyball::parity
