#include "flyball/sandbox/metadata_rules.h"

#include <algorithm>

#include "flyball/api/json.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/uid.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kAnnotationsLimit = 256 * 1024;

std::string ShownAs(const meta::v1::OwnerReference& owner) {
  return api::EncodeJson(owner).value_or("null");
}

void Add(const std::string& field, std::string_view value, const std::vector<std::string>& problems,
         FieldErrors& errors) {
  for (const std::string& problem : problems) {
    errors.push_back(FieldError::Invalid(field, value, problem));
  }
}

std::vector<std::string> NameProblems(const std::string& name, NameRule rule) {
  switch (rule) {
    case NameRule::kSubdomain:
      return SubdomainProblems(name);
    case NameRule::kLabel:
    case NameRule::kDns1035:
      return LabelNameProblems(name);
    case NameRule::kPathSegment:
      break;
  }
  std::vector<std::string> problems;
  if (name == "." || name == "..") problems.push_back("may not be '" + name + "'");
  for (const char bad : {'/', '%'}) {
    if (name.contains(bad)) problems.push_back(std::string("may not contain '") + bad + "'");
  }
  return problems;
}

void CheckName(const ObjectMeta& metadata, NameRule rule, FieldErrors& errors) {
  if (const std::string& stem = metadata.generateName; !stem.empty()) {
    // Letters come behind a dash at its end, which a name could not end with.
    const bool dash = stem.size() > 1 && stem.ends_with('-');
    Add("metadata.generateName", stem,
        NameProblems(dash ? stem.substr(0, stem.size() - 2) + "a" : stem, rule), errors);
  }
  if (metadata.name.empty()) {
    errors.push_back(FieldError::Required("metadata.name", "name or generateName is required"));
    return;
  }
  Add("metadata.name", metadata.name, NameProblems(metadata.name, rule), errors);
}

void CheckLabels(const ObjectMeta& metadata, FieldErrors& errors) {
  for (const auto& [key, value] : metadata.labels) {
    Add("metadata.labels", key, QualifiedNameProblems(key), errors);
    Add("metadata.labels", value, LabelValueProblems(value), errors);
  }
}

void CheckAnnotations(const ObjectMeta& metadata, FieldErrors& errors) {
  std::size_t total = 0;
  for (const auto& [key, value] : metadata.annotations) {
    std::string lower = key;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    Add("metadata.annotations", key, QualifiedNameProblems(lower), errors);
    total += key.size() + value.size();
  }
  if (total > kAnnotationsLimit) {
    errors.push_back(FieldError::TooLong("metadata.annotations", kAnnotationsLimit));
  }
}

void CheckOwner(const meta::v1::OwnerReference& owner, const std::string& path,
                FieldErrors& errors) {
  const auto need = [&](std::string_view member, const std::string& value) {
    if (!value.empty()) return;
    errors.push_back(FieldError::Required(path + "." + std::string(member), "must not be empty"));
  };
  need("apiVersion", owner.apiVersion);
  if (std::ranges::count(owner.apiVersion, '/') > 1 || owner.apiVersion.ends_with('/')) {
    errors.push_back(FieldError::Invalid(path + ".apiVersion", owner.apiVersion,
                                         "must be <group>/<version> or <version>"));
  }
  need("kind", owner.kind);
  need("name", owner.name);
  need("uid", owner.uid);
  if (owner.apiVersion == "v1" && owner.kind == "Event") {
    errors.push_back({FieldError::Kind::kInvalid, path, ShownAs(owner),
                      "/v1, Kind=Event is disallowed from being an owner"});
  }
}

void CheckOwners(const ObjectMeta& metadata, FieldErrors& errors) {
  const std::string path = "metadata.ownerReferences";
  std::string controller;
  for (std::size_t i = 0; i < metadata.ownerReferences.size(); ++i) {
    const auto& owner = metadata.ownerReferences[i];
    CheckOwner(owner, path + "[" + std::to_string(i) + "]", errors);
    if (!owner.controller.value_or(false)) continue;
    const std::string name = owner.kind + "/" + owner.name;
    if (controller.empty()) {
      controller = name;
      continue;
    }
    std::string all;
    for (const auto& each : metadata.ownerReferences) {
      all += (all.empty() ? "" : ",") + ShownAs(each);
    }
    errors.push_back({FieldError::Kind::kInvalid, path, "[" + all + "]",
                      "Only one reference can have Controller set to true. Found \"true\" in "
                      "references for " +
                          controller + " and " + name});
  }
}

void CheckFinalizers(const ObjectMeta& metadata, FieldErrors& errors) {
  const std::string path = "metadata.finalizers";
  bool orphan = false;
  bool foreground = false;
  std::string all;
  for (const std::string& finalizer : metadata.finalizers) {
    Add(path, finalizer, QualifiedNameProblems(finalizer), errors);
    orphan |= finalizer == "orphan";
    foreground |= finalizer == "foregroundDeletion";
    all += (all.empty() ? "" : ",") + api::Json(finalizer).ToString();
  }
  if (orphan && foreground) {
    errors.push_back({FieldError::Kind::kInvalid, path, "[" + all + "]",
                      "finalizer orphan and foregroundDeletion cannot be both set"});
  }
}

void CheckUnchanged(std::string_view field, std::string_view now, std::string_view before,
                    FieldErrors& errors) {
  if (now == before) return;
  errors.push_back(
      FieldError::Invalid("metadata." + std::string(field), now, "field is immutable"));
}

}  // namespace

void FillNew(ObjectMeta& metadata, WallTime now, const api::RandomBits& random) {
  metadata.uid = api::NewUid(random);
  metadata.creationTimestamp = api::Time(now).WholeSeconds();
  metadata.deletionTimestamp.reset();
  metadata.deletionGracePeriodSeconds.reset();
  metadata.selfLink.clear();
  if (metadata.name.empty() && !metadata.generateName.empty()) {
    metadata.name = api::GenerateName(metadata.generateName, random);
  }
}

void KeepIdentity(ObjectMeta& now, const ObjectMeta& before) {
  if (now.uid.empty()) now.uid = before.uid;
  now.selfLink.clear();
  now.generation = before.generation;
  now.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp) now.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds && !now.deletionGracePeriodSeconds) {
    now.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
}

std::vector<std::string> DropRepeatedOwners(ObjectMeta& metadata) {
  std::vector<meta::v1::OwnerReference> kept;
  std::string repeated;
  for (const auto& owner : metadata.ownerReferences) {
    if (std::ranges::find(kept, owner) == kept.end()) {
      kept.push_back(owner);
    } else {
      repeated += (repeated.empty() ? "" : ", ") + owner.uid;
    }
  }
  if (repeated.empty()) return {};
  metadata.ownerReferences = std::move(kept);
  return {
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references "
      "in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
      "duplicate UID(s) observed: " +
      repeated};
}

FieldErrors ValidateMetadata(const ObjectMeta& metadata, bool namespaced, NameRule names) {
  FieldErrors errors;
  CheckName(metadata, names, errors);
  if (namespaced) {
    if (metadata.namespace_.empty()) {
      errors.push_back(FieldError::Required("metadata.namespace", ""));
    } else {
      Add("metadata.namespace", metadata.namespace_, LabelNameProblems(metadata.namespace_),
          errors);
    }
  } else if (!metadata.namespace_.empty()) {
    errors.push_back(FieldError::Forbidden("metadata.namespace", "not allowed on this type"));
  }
  CheckLabels(metadata, errors);
  CheckAnnotations(metadata, errors);
  CheckOwners(metadata, errors);
  CheckFinalizers(metadata, errors);
  return errors;
}

FieldErrors ValidateFinalizerNames(const ObjectMeta& metadata) {
  FieldErrors errors;
  for (std::size_t i = 0; i < metadata.finalizers.size(); ++i) {
    const std::string& name = metadata.finalizers[i];
    if (name.contains('/') || name == "kubernetes" || name == "orphan" ||
        name == "foregroundDeletion") {
      continue;
    }
    errors.push_back(
        FieldError::Invalid("metadata.finalizers[" + std::to_string(i) + "]", name,
                            "name is neither a standard finalizer name nor is it fully qualified"));
  }
  return errors;
}

FieldErrors ValidateMetadataUpdate(const ObjectMeta& now, const ObjectMeta& before) {
  FieldErrors errors;
  if (before.deletionTimestamp) {
    std::string added;
    for (const std::string& finalizer : now.finalizers) {
      if (std::ranges::find(before.finalizers, finalizer) != before.finalizers.end()) continue;
      added += (added.empty() ? "" : ", ") + api::Json(finalizer).ToString();
    }
    if (!added.empty()) {
      errors.push_back(FieldError::Forbidden(
          "metadata.finalizers",
          "no new finalizers can be added if the object is being deleted, found new finalizers "
          "[]string{" +
              added + "}"));
    }
  }
  CheckUnchanged("name", now.name, before.name, errors);
  CheckUnchanged("namespace", now.namespace_, before.namespace_, errors);
  CheckUnchanged("uid", now.uid, before.uid, errors);
  if (now.deletionTimestamp != before.deletionTimestamp) {
    CheckUnchanged("deletionTimestamp",
                   now.deletionTimestamp ? now.deletionTimestamp->ToString() : "",
                   before.deletionTimestamp ? before.deletionTimestamp->ToString() : "", errors);
  }
  if (now.deletionGracePeriodSeconds != before.deletionGracePeriodSeconds) {
    errors.push_back(FieldError::InvalidNumber("metadata.deletionGracePeriodSeconds",
                                               now.deletionGracePeriodSeconds.value_or(0),
                                               "field is immutable"));
  }
  return errors;
}

}  // namespace flyball::sandbox
