#include "flyball/runtime/generated_name.h"

#include <algorithm>
#include <utility>

#include "flyball/api/object_identity.h"

namespace flyball::runtime {
namespace {

std::string TextIn(const api::Json& object, std::string_view member) {
  const api::Json* const value = object.Find(member);
  const auto* const text = value == nullptr ? nullptr : value->If<std::string>();
  return text == nullptr ? std::string() : *text;
}

}  // namespace

std::vector<MadeName> NamesInDoubt::Take(const std::string& key) {
  const MutexLock lock(mutex_);
  auto node = names_.extract(key);
  return node ? std::move(node.mapped()) : std::vector<MadeName>();
}

void NamesInDoubt::Keep(const std::string& key, std::vector<MadeName> names, SteadyTime now) {
  std::erase_if(names, [&](const MadeName& name) { return name.until <= now; });
  if (names.empty()) return;
  const MutexLock lock(mutex_);
  names_.insert_or_assign(key, std::move(names));
  if (names_.size() < prune_at_) return;
  std::erase_if(names_, [&](const auto& entry) {
    return std::ranges::all_of(entry.second,
                               [&](const MadeName& name) { return name.until <= now; });
  });
  prune_at_ = std::max(kFirstPrune, 2 * names_.size());
}

std::size_t NamesInDoubt::keys() const {
  const MutexLock lock(mutex_);
  return names_.size();
}

std::string GenerateNameOf(const api::Json& object) {
  const api::Json* const metadata = object.Find("metadata");
  if (metadata == nullptr || !api::IdentityOf(object).name.empty()) return {};
  return TextIn(*metadata, "generateName");
}

api::Json WithName(api::Json object, const std::string& name) {
  auto* const members = object.If<api::Json::Object>();
  if (members == nullptr) return object;
  auto* const metadata = (*members)["metadata"].If<api::Json::Object>();
  if (metadata != nullptr) metadata->insert_or_assign("name", name);
  return object;
}

std::string ControllerUidOf(const meta::v1::ObjectMeta& metadata) {
  for (const auto& owner : metadata.ownerReferences) {
    if (owner.controller.value_or(false)) return owner.uid;
  }
  return {};
}

std::string ControllerUidOf(const api::Json& object) {
  const api::Json* const metadata = object.Find("metadata");
  const api::Json* const owners = metadata == nullptr ? nullptr : metadata->Find("ownerReferences");
  const auto* const list = owners == nullptr ? nullptr : owners->If<api::Json::Array>();
  if (list == nullptr) return {};
  for (const api::Json& owner : *list) {
    const api::Json* const controls = owner.Find("controller");
    const bool* const yes = controls == nullptr ? nullptr : controls->If<bool>();
    if (yes != nullptr && *yes) return TextIn(owner, "uid");
  }
  return {};
}

Error WithGenerateName(const Error& error, std::string_view name, std::string_view generate_name) {
  std::string message = error.message();
  for (auto at = message.find(name); at != std::string::npos;
       at = message.find(name, at + generate_name.size())) {
    message.replace(at, name.size(), generate_name);
  }
  Error plain = Error(error.code(), error.path(), std::move(message)).With(error.fate());
  plain.set_detail(error.detail());
  return plain;
}

}  // namespace flyball::runtime
