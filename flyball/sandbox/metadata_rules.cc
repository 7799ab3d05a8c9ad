#include "flyball/sandbox/metadata_rules.h"

#include <algorithm>

#include "flyball/api/json.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kAnnotationsLimit = 256 * 1024;

void Add(const std::string& field, std::string_view value, const std::vector<std::string>& problems,
         FieldErrors& errors) {
  for (const std::string& problem : problems) {
    errors.push_back(FieldError::Invalid(field, value, problem));
  }
}

void CheckName(const ObjectMeta& metadata, NameRule rule, FieldErrors& errors) {
  if (metadata.name.empty()) {
    errors.push_back(FieldError::Required("metadata.name", "name or generateName is required"));
    return;
  }
  const std::string& name = metadata.name;
  std::vector<std::string> problems;
  switch (rule) {
    case NameRule::kSubdomain:
      problems = SubdomainProblems(name);
      break;
    case NameRule::kLabel:
    case NameRule::kDns1035:
      problems = LabelNameProblems(name);
      break;
    case NameRule::kPathSegment:
      if (name == "." || name == "..") {
        errors.push_back(FieldError::Invalid("metadata.name", name, "may not be '" + name + "'"));
      }
      for (const char bad : {'/', '%'}) {
        if (!name.contains(bad)) continue;
        errors.push_back(FieldError::Invalid("metadata.name", name,
                                             std::string("may not contain '") + bad + "'"));
      }
      return;
  }
  Add("metadata.name", name, problems, errors);
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

void CheckOwners(const ObjectMeta& metadata, FieldErrors& errors) {
  const std::string owners = "metadata.ownerReferences";
  std::string_view controller;
  for (const auto& owner : metadata.ownerReferences) {
    if (owner.apiVersion.empty()) {
      errors.push_back(FieldError::Invalid(owners + ".apiVersion", owner.apiVersion,
                                           "version must not be empty"));
    }
    if (owner.kind.empty()) {
      errors.push_back(FieldError::Invalid(owners + ".kind", owner.kind, "must not be empty"));
    }
    if (owner.name.empty()) {
      errors.push_back(FieldError::Invalid(owners + ".name", owner.name, "must not be empty"));
    }
    if (owner.uid.empty()) {
      errors.push_back(FieldError::Invalid(owners + ".uid", owner.uid, "must not be empty"));
    }
    if (!owner.controller.value_or(false)) continue;
    if (!controller.empty()) {
      errors.push_back(FieldError::Invalid(
          owners, "",
          "Only one reference can have Controller set to true. Found \"true\" in "
          "references for " +
              std::string(controller) + " and " + owner.name));
    }
    controller = owner.name;
  }
}

void CheckFinalizers(const ObjectMeta& metadata, FieldErrors& errors) {
  bool orphan = false;
  bool foreground = false;
  for (const std::string& finalizer : metadata.finalizers) {
    Add("metadata.finalizers", finalizer, QualifiedNameProblems(finalizer), errors);
    orphan |= finalizer == "orphan";
    foreground |= finalizer == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.push_back(FieldError::Invalid(
        "metadata.finalizers", "", "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void CheckUnchanged(std::string_view field, std::string_view now, std::string_view before,
                    FieldErrors& errors) {
  if (now == before) return;
  errors.push_back(
      FieldError::Invalid("metadata." + std::string(field), now, "field is immutable"));
}

}  // namespace

std::string NewUid(const api::RandomBits& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uid;
  std::uint64_t bits = 0;
  for (int i = 0; i < 32; ++i) {
    if (i % 16 == 0) bits = random();
    if (i == 8 || i == 12 || i == 16 || i == 20) uid += '-';
    std::uint64_t nibble = bits & 15;
    bits >>= 4;
    if (i == 12) nibble = 4;
    if (i == 16) nibble = 8 | (nibble & 3);
    uid += kDigits[nibble];
  }
  return uid;
}

void FillNew(ObjectMeta& metadata, WallTime now, const api::RandomBits& random) {
  metadata.uid = NewUid(random);
  metadata.creationTimestamp = api::Time(now).WholeSeconds();
  metadata.deletionTimestamp.reset();
  metadata.deletionGracePeriodSeconds.reset();
  metadata.selfLink.clear();
  metadata.generation = 0;
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
