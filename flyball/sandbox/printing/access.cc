#include <algorithm>
#include <string>

#include "flyball/api/certificates/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using certificates::v1::CertificateSigningRequest;
using certificates::v1::ClusterTrustBundle;
using certificates::v1::PodCertificateRequest;
using core::v1::Secret;
using core::v1::ServiceAccount;
using rbac::v1::ClusterRoleBinding;
using rbac::v1::RoleBinding;

constexpr Column kSecretColumns[] = {kName, {"Type"}, {"Data"}, kAge};

Cells SecretCells(const Secret& secret, WallTime now) {
  return {secret.metadata.name, secret.type, Count(secret.data), AgeOf(secret, now)};
}

constexpr Column kAccountColumns[] = {kName, kAge};

Cells AccountCells(const ServiceAccount& account, WallTime now) {
  return {account.metadata.name, AgeOf(account, now)};
}

std::string SubjectsOf(const std::vector<rbac::v1::Subject>& subjects, std::string_view kind) {
  std::vector<std::string> names;
  for (const auto& subject : subjects) {
    if (subject.kind != kind) continue;
    names.push_back(kind == "ServiceAccount" ? subject.namespace_ + "/" + subject.name
                                             : subject.name);
  }
  return Join(names, ", ");
}

constexpr Column kBindingColumns[] = {kName,         {"Role"},       kAge,
                                      Wide("Users"), Wide("Groups"), Wide("ServiceAccounts")};

template <typename Binding>
Cells BindingCells(const Binding& binding, WallTime now) {
  return {binding.metadata.name,
          binding.roleRef.kind + "/" + binding.roleRef.name,
          AgeOf(binding, now),
          SubjectsOf(binding.subjects, "User"),
          SubjectsOf(binding.subjects, "Group"),
          SubjectsOf(binding.subjects, "ServiceAccount")};
}

std::string SigningStatus(const CertificateSigningRequest& request) {
  const auto has = [&](std::string_view type) {
    return std::ranges::any_of(request.status.conditions,
                               [&](const auto& each) { return each.type == type; });
  };
  std::string text = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) text += ",Failed";
  if (!request.status.certificate.empty()) text += ",Issued";
  return text;
}

constexpr Column kSigningColumns[] = {
    kName, kAge, {"SignerName"}, {"Requestor"}, {"RequestedDuration"}, {"Condition"}};

Cells SigningCells(const CertificateSigningRequest& request, WallTime now) {
  const auto& lifetime = request.spec.expirationSeconds;
  return {request.metadata.name,
          AgeOf(request, now),
          Or(request.spec.signerName, "<none>"),
          request.spec.username,
          lifetime ? HumanDuration(std::chrono::seconds(*lifetime)) : "<none>",
          SigningStatus(request)};
}

constexpr Column kTrustBundleColumns[] = {kName, {"SignerName"}};

Cells TrustBundleCells(const ClusterTrustBundle& bundle, WallTime /*now*/) {
  return {bundle.metadata.name, Or(bundle.spec.signerName, "<none>")};
}

constexpr Column kPodCertificateColumns[] = {
    kName,          {"PodName"}, {"ServiceAccountName"},       {"NodeName"},
    {"SignerName"}, {"State"},   {"UnverifiedUserAnnotations"}};

Cells PodCertificateCells(const PodCertificateRequest& request, WallTime /*now*/) {
  std::string state = "Pending";
  for (const auto& condition : request.status.conditions) {
    const std::string& type = condition.type;
    if (type == "Issued" || type == "Denied" || type == "Failed") state = type;
  }
  const auto& spec = request.spec;
  return {request.metadata.name,
          spec.podName,
          spec.serviceAccountName,
          spec.nodeName,
          spec.signerName,
          state,
          LabelsText(spec.unverifiedUserAnnotations)};
}

constexpr Printer kPrinters[] = {
    For<Secret, SecretCells>(kSecretColumns),
    For<ServiceAccount, AccountCells>(kAccountColumns),
    For<RoleBinding, BindingCells<RoleBinding>>(kBindingColumns),
    For<ClusterRoleBinding, BindingCells<ClusterRoleBinding>>(kBindingColumns),
    For<CertificateSigningRequest, SigningCells>(kSigningColumns),
    For<ClusterTrustBundle, TrustBundleCells>(kTrustBundleColumns),
    For<PodCertificateRequest, PodCertificateCells>(kPodCertificateColumns),
};

}  // namespace

std::span<const Printer> AccessPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
