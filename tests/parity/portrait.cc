#include "tests/parity/portrait.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <tuple>

#include "flyball/api/base64.h"
#include "flyball/api/time.h"
#include "tests/scenario/made_up.h"

namespace flyball::parity {
namespace {

using api::Json;

constexpr std::string_view kTokenVolume = "kube-api-access-";

bool IsAddress(std::string_view member) {
  return member == "podIP" || member == "hostIP" || member == "ip" || member == "clusterIP" ||
         member == "clusterIPs";
}

/// What a JSON web token says, without what it is signed with; nothing if it is none.
std::optional<std::string> ReadToken(const std::string& text) {
  const auto first = text.find('.');
  const auto second = text.find('.', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const auto header = api::DecodeBase64Url(text.substr(0, first));
  const auto claims = api::DecodeBase64Url(text.substr(first + 1, second - first - 1));
  if (!header || !claims) return std::nullopt;
  auto tree = Json::Parse(*header);
  auto* const members = tree ? tree->If<Json::Object>() : nullptr;
  if (members == nullptr || members->find("alg") == nullptr) return std::nullopt;
  if (Json* const key = members->find("kid")) *key = "<key>";
  return tree->ToString() + *claims;
}

/// The same where it stands in a secret.
std::optional<std::string> ReadEncodedToken(const std::string& text) {
  const auto decoded = api::DecodeBase64(text);
  return decoded ? ReadToken(*decoded) : std::nullopt;
}

bool IsGenerated(const WorldObject& object, const std::string& scenario) {
  const std::string stem = TextAtPath(*object.tree, "metadata.generateName");
  const std::string& name = object.reference.key.name;
  return !stem.empty() && name.starts_with(stem) && !scenario.contains(name);
}

/// Whether a set of pods is called so: what it makes has its name as a stem.
bool NamesPods(const WorldObject& object) {
  return object.reference.plural == "replicasets" ||
         object.reference.plural == "replicationcontrollers" ||
         object.reference.plural == "daemonsets" || object.reference.plural == "jobs";
}

/// How many letters follow that an API server could have made up for a generated name. None if
/// there are more or fewer than it makes up.
std::size_t MadeUpLetters(std::string_view text) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kLength = 5;
  const std::size_t end = std::min(text.find_first_not_of(kLetters), text.size());
  const bool whole = end == text.size() ||
                     (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '-');
  return end == kLength && whole ? kLength : 0;
}

/// Replaces texts by others in all of a tree, names of members included.
class Substitution {
 public:
  Substitution(const Portraitist::Subject& subject, WallTime now) : subject_(subject), now_(now) {
    for (const auto& [text, stand_in] : subject.texts) Add(text, stand_in);
  }

  void Add(const std::string& text, std::string stand_in) {
    texts_.insert_or_assign({-std::ssize(text), text}, std::move(stand_in));
  }
  /// Names with this stem that no object ever had: messages quote those that were refused.
  void AddStem(std::string stem) { stems_.insert(std::move(stem)); }
  void AddUid(const std::string& uid, std::string stand_in) {
    uids_.insert_or_assign(uid, std::move(stand_in));
  }

  /// Addresses, and names that pods get at random, stand in other places too: in names of fields.
  void LearnFrom(std::string_view member, const Json& tree) {
    if (const auto* const text = tree.If<std::string>()) {
      const bool own = text->empty() || *text == "None" || subject_.scenario.contains(*text);
      if (IsAddress(member) && !own) Add(*text, "<address>");
      if (text->starts_with(kTokenVolume)) Add(*text, std::string(kTokenVolume) + "<>");
    } else if (const auto* const list = tree.If<Json::Array>()) {
      for (const Json& each : *list) LearnFrom(member, each);
    } else if (const auto* const object = tree.If<Json::Object>()) {
      for (const auto& [name, value] : *object) LearnFrom(name, value);
    }
  }

  std::string In(const std::string& text) const {
    // Uids first: a short name may stand in one by chance.
    std::string replaced = scenario::ReplaceUids(text, [this](const std::string& uid) {
      if (subject_.scenario.contains(uid)) return uid;
      const auto known = uids_.find(uid);
      return known == uids_.end() ? "<uid>" : known->second;
    });
    for (const auto& [key, stand_in] : texts_) {
      const std::string& from = key.second;
      for (auto at = replaced.find(from); at != std::string::npos; at = replaced.find(from, at)) {
        replaced.replace(at, from.size(), stand_in);
        at += stand_in.size();
      }
    }
    for (const std::string& stem : stems_) ReplaceRefused(stem, replaced);
    return replaced;
  }

  Json In(std::string_view member, const Json& tree) const {
    if (const auto* const text = tree.If<std::string>()) return Value(member, *text);
    if (const auto* const list = tree.If<Json::Array>()) {
      Json::Array replaced;
      for (const Json& each : *list) replaced.push_back(In(member, each));
      return replaced;
    }
    if (const auto* const object = tree.If<Json::Object>()) {
      Json::Object replaced;
      for (const auto& [name, value] : *object) replaced[In(name)] = In(name, value);
      return replaced;
    }
    const bool port = member == "nodePort" || member == "healthCheckNodePort";
    return port && !subject_.scenario.contains(tree.ToString()) ? Json("<port>") : tree;
  }

 private:
  void ReplaceRefused(const std::string& stem, std::string& text) const {
    for (auto at = text.find(stem); at != std::string::npos; at = text.find(stem, at)) {
      at += stem.size();
      const std::size_t letters = MadeUpLetters(std::string_view(text).substr(at));
      const bool own =
          subject_.scenario.contains(text.substr(at - stem.size(), stem.size() + letters));
      if (letters != 0 && !own) text.replace(at, letters, "<refused>");
    }
  }

  Json Value(std::string_view member, const std::string& text) const {
    if (member == "containerID") return "<container>";
    // Those of objects themselves go altogether; references have some too.
    if (member == "resourceVersion" && !text.empty()) return "<version>";
    if (text == today_) return "<today>";
    if (scenario::IsRecentMoment(text, now_) && !subject_.scenario.contains(text)) return "<time>";
    if (const auto token = ReadToken(text)) return "<token " + In(*token) + ">";
    if (const auto token = ReadEncodedToken(text)) return "<token " + In(*token) + ">";
    return In(text);
  }

  const Portraitist::Subject& subject_;
  const WallTime now_;
  const std::string today_ = api::Time(now_).ToString().substr(0, 10);
  /// Longest first, since one may be a part of another.
  std::map<std::pair<std::ptrdiff_t, std::string>, std::string> texts_;
  std::map<std::string, std::string> uids_;
  std::set<std::string> stems_;
};

/// Who manages which fields, in an order that does not depend on when they came. When that was is
/// left out.
Json ManagersOf(const Json& entries) {
  Json::Array sorted;
  for (const Json& each : *entries.If<Json::Array>()) {
    Json::Object entry = *each.If<Json::Object>();
    entry.erase("time");
    sorted.emplace_back(std::move(entry));
  }
  scenario::SortManagers(sorted);
  return sorted;
}

/// What a change of endpoints was made for depends on which changes were seen together.
void LeaveOutTriggers(Json& tree) {
  if (auto* const list = tree.If<Json::Array>()) {
    for (Json& each : *list) LeaveOutTriggers(each);
  } else if (auto* const members = tree.If<Json::Object>()) {
    for (const std::string_view name : {"annotations", "f:annotations"}) {
      Json* const annotations = members->find(name);
      auto* const among = annotations == nullptr ? nullptr : annotations->If<Json::Object>();
      if (among == nullptr) continue;
      among->erase("endpoints.kubernetes.io/last-change-trigger-time");
      among->erase("f:endpoints.kubernetes.io/last-change-trigger-time");
      among->erase(".");
      if (among->empty()) members->erase(name);
    }
    for (auto& [name, value] : *members) LeaveOutTriggers(value);
  }
}

void SortByText(Json::Array& list) {
  std::ranges::sort(list, {}, [](const Json& each) { return each.ToString(); });
}

/// Endpoints have no order; upstream's managers put them in any. In how many steps they got there
/// is a matter of who is quicker.
void TidySlice(Json::Object& object) {
  if (object.find("addressType") == nullptr) return;
  if (Json* const metadata = object.find("metadata")) {
    metadata->If<Json::Object>()->erase("generation");
    LeaveOutTriggers(*metadata);
  }
  Json* const endpoints = object.find("endpoints");
  auto* const list = endpoints == nullptr ? nullptr : endpoints->If<Json::Array>();
  if (list != nullptr) SortByText(*list);
}

bool HasAnyAddress(const Json& endpoint) { return TextAtPath(endpoint, "ip") == "<address>"; }

/// Subsets and their addresses go by address. Where that is chance, so is their order.
void TidyEndpoints(Json::Object& object) {
  const Json* const kind = object.find("kind");
  if (kind == nullptr || *kind != Json("Endpoints")) return;
  if (Json* const metadata = object.find("metadata")) LeaveOutTriggers(*metadata);
  Json* const subsets = object.find("subsets");
  auto* const list = subsets == nullptr ? nullptr : subsets->If<Json::Array>();
  if (list == nullptr) return;
  bool by_chance = false;
  for (Json& subset : *list) {
    for (const std::string_view name : {"addresses", "notReadyAddresses"}) {
      Json* const addresses = subset.If<Json::Object>()->find(name);
      if (addresses == nullptr) continue;
      auto& each = *addresses->If<Json::Array>();
      if (std::ranges::none_of(each, HasAnyAddress)) continue;
      by_chance = true;
      SortByText(each);
    }
  }
  if (by_chance) SortByText(*list);
}

/// Taints have no order. Of the two that a lost node gets, upstream's workers race to be first.
void TidyNode(Json::Object& object) {
  const Json* const kind = object.find("kind");
  if (kind == nullptr || *kind != Json("Node")) return;
  Json* const spec = object.find("spec");
  Json* const taints = spec == nullptr ? nullptr : spec->If<Json::Object>()->find("taints");
  auto* const list = taints == nullptr ? nullptr : taints->If<Json::Array>();
  if (list != nullptr) SortByText(*list);
}

Json WithoutVersions(const Json& tree) {
  Json::Object object = *tree.If<Json::Object>();
  TidyNode(object);
  TidySlice(object);
  TidyEndpoints(object);
  Json* const metadata = object.find("metadata");
  auto* const members = metadata == nullptr ? nullptr : metadata->If<Json::Object>();
  if (members == nullptr) return object;
  members->erase("resourceVersion");
  if (Json* const fields = members->find("managedFields")) *fields = ManagersOf(*fields);
  return object;
}

/// What an event says, but for when and how often.
Json::Object TellingOf(const Json& event) {
  Json::Object telling;
  for (const std::string_view member : {"type", "reason", "message", "source", "action", "related",
                                        "reportingComponent", "involvedObject"}) {
    const Json* const value = event.Find(member);
    if (value != nullptr) telling[member] = *value;
  }
  if (Json* const about = telling.find("involvedObject")) {
    if (auto* const members = about->If<Json::Object>()) members->erase("resourceVersion");
  }
  return telling;
}

bool IsEvent(const WorldObject& object) { return object.reference.plural == "events"; }

/// Whether an event is the API server's own, which looks after the addresses of services when it
/// comes to it.
bool IsServers(const WorldObject& event) {
  return TextAtPath(*event.tree, "reportingComponent") == "ipallocator-repair-controller";
}

/// One portrait while it is drawn.
class Drawing {
 public:
  Drawing(const Portraitist::Subject& subject, const World& world, WallTime now,
          const std::map<std::string, std::string>& since)
      : subject_(subject), world_(world), since_(since), substitution_(subject, now) {
    for (const auto* const objects : {&world.present, &world.past}) {
      for (const WorldObject& each : *objects) {
        substitution_.LearnFrom("", *each.tree);
        if (NamesPods(each)) substitution_.AddStem(each.reference.key.name + "-");
      }
    }
    NamePast();
    NamePresent();
  }

  Json Draw() const {
    Json::Object portrait;
    Json::Object events;
    for (const WorldObject& each : world_.present) {
      if (IsEvent(each)) {
        if (IsServers(each)) continue;
        const Json event = substitution_.In("", TellingOf(*each.tree));
        events[HeadlineOf(event)] = event;
        continue;
      }
      // Versions go last: what is sorted there has its stand-ins by then.
      Json shown = WithoutVersions(substitution_.In("", *each.tree));
      (*shown.If<Json::Object>())["since"] = SinceOf(each);
      portrait[substitution_.In(each.reference.ToString())] = std::move(shown);
    }
    portrait["events"] = std::move(events);
    return portrait;
  }

 private:
  std::string SinceOf(const WorldObject& object) const {
    const auto since = since_.find(TextAtPath(*object.tree, "metadata.uid"));
    return since == since_.end() ? "" : since->second;
  }

  void NamePast() {
    for (const WorldObject& each : world_.past) {
      if (IsEvent(each)) continue;
      Reference shown = each.reference;
      if (IsGenerated(each, subject_.scenario)) {
        shown.key.name = TextAtPath(*each.tree, "metadata.generateName") + "<gone>";
        substitution_.Add(each.reference.key.name, shown.key.name);
      }
      substitution_.AddUid(TextAtPath(*each.tree, "metadata.uid"),
                           "<uid of " + shown.ToString() + ", gone>");
    }
  }

  void NamePresent() {
    std::vector<const WorldObject*> generated;
    for (const WorldObject& each : world_.present) {
      if (!IsEvent(each) && IsGenerated(each, subject_.scenario)) generated.push_back(&each);
    }
    // Equals have no names of their own yet, by which they would be told apart.
    Substitution faceless = substitution_;
    for (const WorldObject* each : generated) {
      faceless.Add(each->reference.key.name, TextAtPath(*each->tree, "metadata.generateName"));
    }
    std::map<std::string, std::set<std::string>> events;  // by whom they are about
    for (const WorldObject& each : world_.present) {
      if (!IsEvent(each) || IsServers(each)) continue;
      events[TextAtPath(*each.tree, "involvedObject.name")].insert(
          faceless.In("", TellingOf(*each.tree)).ToString());
    }
    std::vector<std::tuple<std::string, std::string, const WorldObject*>> order;
    for (const WorldObject* each : generated) {
      Reference stem = each->reference;
      stem.key.name = TextAtPath(*each->tree, "metadata.generateName");
      std::string looks = SinceOf(*each) + WithoutVersions(faceless.In("", *each->tree)).ToString();
      for (const std::string& event : events[each->reference.key.name]) looks += event;
      order.emplace_back(stem.ToString(), std::move(looks), each);
    }
    std::ranges::sort(
        order, {}, [](const auto& each) { return std::tie(std::get<0>(each), std::get<1>(each)); });
    std::map<std::string, int> numbers;
    for (const auto& [stem, looks, each] : order) {
      const std::string number = "<" + std::to_string(++numbers[stem]) + ">";
      substitution_.Add(each->reference.key.name,
                        TextAtPath(*each->tree, "metadata.generateName") + number);
    }
    for (const WorldObject& each : world_.present) {
      substitution_.AddUid(TextAtPath(*each.tree, "metadata.uid"),
                           "<uid of " + substitution_.In(each.reference.ToString()) + ">");
    }
  }

  const Portraitist::Subject& subject_;
  const World& world_;
  const std::map<std::string, std::string>& since_;
  Substitution substitution_;
};

}  // namespace

std::string HeadlineOf(const Json& event) {
  return TextAtPath(event, "reason") + " of " + TextAtPath(event, "involvedObject.kind") + "/" +
         TextAtPath(event, "involvedObject.name") + ": " + TextAtPath(event, "message");
}

Json Portraitist::Draw(const World& world, const std::string& checkpoint, WallTime now) {
  for (const WorldObject& each : world.present) {
    since_.try_emplace(TextAtPath(*each.tree, "metadata.uid"), checkpoint);
  }
  return Drawing(subject_, world, now, since_).Draw();
}

}  // namespace flyball::parity
