#include "tests/parity/player.h"

#include <algorithm>

#include "flyball/api/duration.h"
#include "flyball/api/policy/v1.h"
#include "flyball/api/time.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::parity {
namespace {

using api::Json;
using api::ObjectKey;
using namespace std::chrono_literals;

constexpr auto kPatience = 90s;
/// How often it looks whether something has come true, and whether a write has come around.
constexpr auto kGlance = 50ms;
constexpr auto kBlink = 5ms;

/// The member of an object, which is made one if it is none.
Json::Object& MembersOf(Json& tree) {
  if (tree.If<Json::Object>() == nullptr) tree = Json::Object();
  return *tree.If<Json::Object>();
}

Json NamespaceNamed(const std::string& name) {
  return Json::Object{
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Json::Object{{"name", name}}}};
}

/// For who wants to know what there was instead.
std::string Described(const World& world) {
  std::string text = "there is:\n";
  for (const WorldObject& each : world.present) text += "  " + each.reference.ToString() + "\n";
  return text;
}

std::string Described(const std::vector<std::string>& unmet) {
  std::string text = "not after " + api::FormatDuration(kPatience) + ":\n";
  for (const std::string& each : unmet) text += "  " + each + "\n";
  if (unmet.empty()) text += "  that nothing changes\n";
  return text;
}

}  // namespace

Player::Player(Deps deps, const Scenario& scenario)
    : deps_(std::move(deps)),
      scenario_(scenario),
      portraitist_({.scenario = scenario.text, .texts = deps_.texts}) {
  values_["ns"] = scenario.space;
}

Result<Record> Player::Play() {
  // Pods cannot be made before the namespace has its service account.
  FLYBALL_TRY(Create({.kind = Step::Kind::kCreate, .object = NamespaceNamed(scenario_.space)}));
  const Json account = *Json::Parse(R"({"serviceaccounts/default":"there"})");
  FLYBALL_TRY(const Expectations ready, Expectations::Parse(account));
  FLYBALL_TRY(Await({.until = ready}));
  FLYBALL_TRY(PlaySteps());
  return std::move(record_);
}

Result<> Player::PlaySteps() {
  for (const auto& written : scenario_.steps) {
    const std::string now = api::Time(deps_.clock.WallNow()).ToString();
    values_["now"] = now;
    values_["today"] = now.substr(0, std::string_view("2006-01-02").size());
    FLYBALL_TRY(const Step step, Step::Parse(scenario::FillIn(written.tree, values_)));
    if (auto done = Do(step); !done) {
      const std::string text = written.where + ": " + done.error().Describe() + "\n";
      return Fail(done.error().code(), text + Described(Now()));
    }
  }
  return {};
}

Result<> Player::Do(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kCreate:
      return Create(step);
    case Step::Kind::kApply:
      return Apply(step);
    case Step::Kind::kPatch:
      return Patch(step);
    case Step::Kind::kDelete:
      return Delete(step);
    case Step::Kind::kEvict:
      return Evict(step);
    case Step::Kind::kWait:
      deps_.clock.SleepFor(step.time);
      FLYBALL_TRY(Await({.until = step.until}));
      return {};
    case Step::Kind::kRestart:
      if (deps_.restart_manager) return deps_.restart_manager(step.flags);
      return Fail(ErrorCode::kUnsupported, "the scenario is not alone");
    case Step::Kind::kCheckpoint: {
      FLYBALL_TRY(const World world, Await(step));
      if (deps_.at_checkpoint) deps_.at_checkpoint();
      record_.checkpoints.push_back(
          {step.checkpoint, portraitist_.Draw(world, step.checkpoint, deps_.clock.WallNow())});
      return {};
    }
  }
  return {};
}

Result<> Player::Create(const Step& step) {
  FLYBALL_TRY(const Prepared prepared, Prepare(step.object));
  FLYBALL_TRY(const Json answer, deps_.client.Dynamic(prepared.resource).Create(prepared.object));
  return Finish(step, prepared.resource, answer);
}

Result<> Player::Apply(const Step& step) {
  FLYBALL_TRY(const Prepared prepared, Prepare(step.object));
  const ObjectKey key{TextAtPath(prepared.object, "metadata.namespace"),
                      TextAtPath(prepared.object, "metadata.name")};
  meta::v1::PatchOptions options;
  options.force = true;
  options.fieldManager = "people";
  FLYBALL_TRY(const Json answer,
              deps_.client.Dynamic(prepared.resource)
                  .Patch(key, {client::PatchType::kApply, prepared.object.ToString()}, options));
  return Finish(step, prepared.resource, answer);
}

Result<> Player::Patch(const Step& step) {
  FLYBALL_TRY(const client::Resource resource, ResourceOf(step.target.reference));
  FLYBALL_TRY(const auto keys, KeysOf(step.target, resource));
  for (const ObjectKey& key : keys) {
    FLYBALL_TRY(const Json answer,
                deps_.client.Dynamic(resource).Patch(key, step.patch, {}, step.subresource));
    FLYBALL_TRY(Finish(step, resource, answer));
  }
  return {};
}

Result<> Player::Delete(const Step& step) {
  FLYBALL_TRY(const client::Resource resource, ResourceOf(step.target.reference));
  FLYBALL_TRY(const auto keys, KeysOf(step.target, resource));
  for (const ObjectKey& key : keys) {
    FLYBALL_TRY(deps_.client.Dynamic(resource).Delete(key, step.deletion));
  }
  return {};
}

Result<> Player::Evict(const Step& step) {
  FLYBALL_TRY(const client::Resource resource, ResourceOf(step.target.reference));
  FLYBALL_TRY(const auto keys, KeysOf(step.target, resource));
  for (const ObjectKey& key : keys) {
    policy::v1::Eviction eviction;
    eviction.metadata.namespace_ = key.namespace_;
    eviction.metadata.name = key.name;
    SteadyTime deadline = deps_.clock.DeadlineAfter(kPatience);
    for (;;) {
      const auto evicted = deps_.client.Evict(eviction);
      if (evicted || evicted.error().code() == ErrorCode::kNotFound) break;
      const bool refused = evicted.error().code() == ErrorCode::kTooManyRequests;
      if (IsDisturbed()) deadline = deps_.clock.DeadlineAfter(kPatience);
      if (!refused || deps_.clock.SteadyNow() > deadline) return evicted;
      deps_.clock.SleepFor(kGlance);
    }
  }
  return {};
}

Result<World> Player::Await(const Step& step) {
  const SteadyTime begin = deps_.clock.SteadyNow();
  SteadyTime patient_since = begin;
  const auto settle = step.time.count() == 0 ? step.time : std::max(step.time, deps_.least_settle);
  for (;;) {
    World world = Now();
    const SteadyTime now = deps_.clock.SteadyNow();
    const auto unmet = step.until.Unmet(world, scenario_.space);
    const bool quiet =
        now - std::max(world.changed, begin) >= settle && (settle.count() == 0 || !IsDisturbed());
    if (unmet.empty() && quiet) return world;
    if (IsDisturbed()) patient_since = now;
    if (now - patient_since > kPatience) return Fail(ErrorCode::kTimeout, Described(unmet));
    deps_.clock.SleepFor(kGlance);
  }
}

Result<client::Resource> Player::Find(const std::function<Result<client::ServedResource>()>& find) {
  const SteadyTime deadline = deps_.clock.DeadlineAfter(kPatience);
  for (;;) {
    auto found = find();
    if (found) {
      deps_.witness.Follow(*found);
      return std::move(found->resource);
    }
    if (deps_.clock.SteadyNow() > deadline) return std::unexpected(found.error());
    deps_.clock.SleepFor(kGlance);
  }
}

Result<client::Resource> Player::ResourceOf(const Reference& reference) {
  return Find([&] { return deps_.mapper.ByPlural(reference.group, reference.plural); });
}

Result<Player::Prepared> Player::Prepare(Json object) {
  const std::string version = TextAtPath(object, "apiVersion");
  const auto slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  FLYBALL_TRY(client::Resource resource, Find([&] {
                return deps_.mapper.ByKind(group, TextAtPath(object, "kind"),
                                           version.substr(slash + 1));
              }));
  Json::Object& metadata = MembersOf(MembersOf(object)["metadata"]);
  if (!resource.namespaced) {
    MembersOf(metadata["labels"])[kScenarioLabel] = scenario_.name;
  } else if (metadata.find("namespace") == nullptr) {
    metadata["namespace"] = scenario_.space;
  }
  return Prepared{std::move(resource), std::move(object)};
}

Result<std::vector<ObjectKey>> Player::KeysOf(const Step::Target& target,
                                              const client::Resource& resource) const {
  ObjectKey key = target.reference.key;
  if (key.namespace_.empty() && resource.namespaced) key.namespace_ = scenario_.space;
  if (!key.name.empty()) return std::vector{key};
  std::vector<ObjectKey> keys;
  for (const WorldObject& each : Referred(Now(), target.reference, scenario_.space)) {
    if (target.count && std::ssize(keys) == *target.count) break;
    if (!target.like || IsLike(each.tree.get(), *target.like)) keys.push_back(each.reference.key);
  }
  if (target.count && std::ssize(keys) < *target.count) {
    return Fail(ErrorCode::kNotFound, "there are only " + std::to_string(keys.size()));
  }
  return keys;
}

Result<> Player::Finish(const Step& step, const client::Resource& resource, const Json& answer) {
  for (const auto& [name, path] : step.keep) {
    const Json* const value = scenario::FindPath(answer, path);
    if (value != nullptr) values_[name] = *value;
  }
  const SteadyTime deadline = deps_.clock.DeadlineAfter(kPatience);
  while (!deps_.witness.Shows(resource, answer)) {
    if (deps_.clock.SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, "nothing is seen of it: " + answer.ToString());
    }
    deps_.clock.SleepFor(kBlink);
  }
  return {};
}

void Player::CleanUp() {
  for (const WorldObject& each : Now().present) {
    if (!each.reference.key.namespace_.empty()) continue;
    if (const auto resource = ResourceOf(each.reference)) {
      // What is gone already is as it should be.
      [[maybe_unused]] const auto deleted =
          deps_.client.Dynamic(*resource).Delete(each.reference.key);
    }
  }
}

}  // namespace flyball::parity
