#include <algorithm>
#include <string>
#include <utility>

#include "flyball/api/base64.h"
#include "flyball/api/certificates/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using certificates::v1::CertificateSigningRequest;
using certificates::v1::CertificateSigningRequestStatus;

bool IsVerdict(std::string_view type) { return type == "Approved" || type == "Denied"; }

/// Moments that a condition's author left open.
void FillTimes(CertificateSigningRequestStatus& status, WallTime now) {
  for (auto& condition : status.conditions) {
    if (condition.status.empty()) condition.status = "True";
    if (condition.lastTransitionTime.IsZero()) {
      condition.lastTransitionTime = api::Time(now).WholeSeconds();
    }
    if (condition.lastUpdateTime.IsZero()) {
      condition.lastUpdateTime = api::Time(now).WholeSeconds();
    }
  }
}

/// Who asks for a certificate is written down by the server; whether it is given is said through
/// the `approval` subresource, and the certificate comes through `status`.
class CertificateRequestKind final : public StrategyFor<CertificateSigningRequest> {
  void PrepareNew(CertificateSigningRequest& request, const Write& write) const override {
    request.spec.username = write.user.name;
    request.spec.uid = write.user.uid;
    auto& groups = request.spec.groups;
    groups = write.user.groups;
    if (std::ranges::find(groups, "system:authenticated") == groups.end()) {
      groups.emplace_back("system:authenticated");
    }
    request.spec.extra.clear();
  }

  void PrepareChange(CertificateSigningRequest& now, const CertificateSigningRequest& before,
                     const Write& write) const override {
    now.spec = before.spec;
    if (write.subresource == "approval") {
      auto conditions = std::move(now.status.conditions);
      now.status = before.status;
      now.status.conditions = std::move(conditions);
      FillTimes(now.status, write.context.Now());
    } else if (write.subresource == "status") {
      // Verdicts are not for those who sign.
      std::erase_if(now.status.conditions, [](const auto& each) { return IsVerdict(each.type); });
      for (const auto& each : before.status.conditions) {
        if (IsVerdict(each.type)) now.status.conditions.push_back(each);
      }
      FillTimes(now.status, write.context.Now());
    }
  }

  FieldErrors CheckNew(const CertificateSigningRequest& request, const Write&) const override {
    FieldErrors errors;
    const std::string& sent = request.spec.request;
    if (!sent.contains("-----BEGIN CERTIFICATE REQUEST-----")) {
      errors.push_back({FieldError::Kind::kInvalid, "spec.request",
                        sent.empty() ? "null" : "\"" + api::EncodeBase64(sent) + "\"",
                        "PEM block type must be CERTIFICATE REQUEST"});
    }
    if (request.spec.usages.empty()) {
      errors.push_back(FieldError::Required("spec.usages", ""));
    }
    if (request.spec.signerName.empty()) {
      errors.push_back(FieldError::Required("spec.signerName", ""));
    }
    return errors;
  }

  FieldErrors CheckChange(const CertificateSigningRequest& now,
                          const CertificateSigningRequest& before, const Write&) const override {
    FieldErrors errors;
    for (const auto& each : before.status.conditions) {
      const bool kept = std::ranges::any_of(now.status.conditions, [&](const auto& condition) {
        return condition.type == each.type;
      });
      if (IsVerdict(each.type) && !kept) {
        errors.push_back(FieldError::Forbidden(
            "status.conditions",
            "updates may not remove a condition of type \"" + each.type + "\""));
      }
    }
    bool approved = false;
    bool denied = false;
    for (const auto& each : now.status.conditions) {
      approved |= each.type == "Approved";
      denied |= each.type == "Denied";
    }
    if (approved && denied) {
      errors.push_back(FieldError::Invalid("status.conditions", "Denied",
                                           "Approved and Denied conditions are mutually "
                                           "exclusive"));
    }
    return errors;
  }
};

}  // namespace

const RestStrategy& CertificateSigningRequestRestStrategy() {
  static const CertificateRequestKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
