#include <string>
#include <utility>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/storage_checks.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

using storage::v1::VolumeAttachment;

constexpr std::size_t kLongestAttacher = 63;
constexpr std::size_t kLongestMessage = 1024;
constexpr std::size_t kLargestMetadata = 256 * 1024;

void CheckName(const std::string& name, const std::string& path, FieldErrors& errors) {
  for (const std::string& each : SubdomainProblems(name)) {
    errors.push_back(FieldError::Invalid(path, name, each));
  }
}

/// PARITY: as upstream declares it, which has other words for it than what it programs.
void CheckAttacher(const std::string& attacher, FieldErrors& errors) {
  const std::string path = "spec.attacher";
  if (attacher.empty()) {
    errors.push_back(FieldError::Required(path, ""));
    return;
  }
  for (const std::string& each : SubdomainProblems(Lowered(attacher))) {
    const bool is_length = each.starts_with("must be no more than");
    errors.push_back(FieldError::Invalid(
        path, attacher,
        is_length
            ? each
            : "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and "
              "must start and end with an alphanumeric character (e.g. 'Example.com', regex "
              "used for validation is "
              "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
  }
  if (attacher.size() > kLongestAttacher) {
    errors.push_back({FieldError::Kind::kTooLong, path, {}, "may not be more than 63 characters"});
  }
}

/// A volume in place of one that is named: of drivers that were part of Kubernetes.
void CheckInline(const core::v1::PersistentVolumeSpec& spec, const std::string& path,
                 FieldErrors& errors) {
  const std::string not_inline = "may not be specified in the context of inline volumes";
  if (spec.claimRef) errors.push_back(FieldError::Forbidden(path + ".claimRef", not_inline));
  if (!spec.capacity.empty()) {
    errors.push_back(FieldError::Forbidden(path + ".capacity", not_inline));
  }
  if (!spec.csi) {
    errors.push_back(FieldError::Required(path + ".csi",
                                          "has to be specified in the context of inline volumes"));
  }
  if (spec.accessModes.empty()) errors.push_back(FieldError::Required(path + ".accessModes", ""));
  if (!spec.persistentVolumeReclaimPolicy.empty() &&
      spec.persistentVolumeReclaimPolicy != "Retain") {
    errors.push_back(FieldError::Forbidden(path + ".persistentVolumeReclaimPolicy",
                                           "may only be Retain in the context of inline volumes"));
  }
  if (spec.nodeAffinity) {
    errors.push_back(FieldError::Forbidden(path + ".nodeAffinity", not_inline));
  }
  if (spec.csi) {
    CheckCsiSource(*spec.csi, path + ".csi", errors);
  } else if (static_cast<const core::v1::PersistentVolumeSource&>(spec) ==
             core::v1::PersistentVolumeSource()) {
    errors.push_back(FieldError::Required(path, "must specify a volume type"));
  }
  if (!spec.storageClassName.empty()) {
    errors.push_back(FieldError::Forbidden(path + ".storageClassName", not_inline));
  }
}

void CheckSource(const storage::v1::VolumeAttachmentSource& source, FieldErrors& errors) {
  const std::string path = "spec.source";
  const std::string one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!source.inlineVolumeSpec && !source.persistentVolumeName) {
    errors.push_back(FieldError::Required(path, one));
  } else if (source.inlineVolumeSpec && source.persistentVolumeName) {
    errors.push_back(FieldError::Forbidden(path, one));
  } else if (source.inlineVolumeSpec) {
    CheckInline(*source.inlineVolumeSpec, path + ".inlineVolumeSpec", errors);
  } else if (source.persistentVolumeName->empty()) {
    errors.push_back(FieldError::Required(path + ".persistentVolumeName",
                                          "must specify non empty persistentVolumeName"));
  }
}

void CheckFailure(const auto& failure, const std::string& path, FieldErrors& errors) {
  if (!failure) return;
  if (failure->message.size() > kLongestMessage) {
    errors.push_back(FieldError::TooLong(path + ".message", kLongestMessage));
  }
  if (failure->errorCode && *failure->errorCode < 0) {
    errors.push_back(FieldError::InvalidNumber(path + ".errorCode", *failure->errorCode,
                                               "must be between 0 and 2147483647, inclusive"));
  }
}

void CheckStatus(const storage::v1::VolumeAttachmentStatus& status, FieldErrors& errors) {
  std::size_t size = 0;
  for (const auto& [key, value] : status.attachmentMetadata) size += key.size() + value.size();
  if (size > kLargestMetadata) {
    errors.push_back(FieldError::TooLong("status.attachmentMetadata", kLargestMetadata));
  }
  CheckFailure(status.attachError, "status.attachError", errors);
  CheckFailure(status.detachError, "status.detachError", errors);
}

class AttachmentKind final : public StrategyFor<VolumeAttachment> {
  FieldErrors CheckNew(const VolumeAttachment& attachment, const Write&) const override {
    FieldErrors errors = CheckContent(attachment);
    CheckAttacher(attachment.spec.attacher, errors);
    return errors;
  }

  FieldErrors CheckChange(const VolumeAttachment& now, const VolumeAttachment& before,
                          const Write&) const override {
    FieldErrors errors = CheckContent(now);
    if (now.spec != before.spec) errors.push_back(DeclaredImmutable("spec"));
    return errors;
  }

  static FieldErrors CheckContent(const VolumeAttachment& attachment) {
    FieldErrors errors;
    CheckSource(attachment.spec.source, errors);
    CheckName(attachment.spec.nodeName, "spec.nodeName", errors);
    CheckStatus(attachment.status, errors);
    if (const auto& volume = attachment.spec.source.persistentVolumeName) {
      CheckName(*volume, "spec.source.persistentVolumeName", errors);
    }
    return errors;
  }
};

}  // namespace

const RestStrategy& VolumeAttachmentRestStrategy() {
  static const AttachmentKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
