#include "flyball/endpoints/serving_certificate.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "flyball/endpoints/text_file.h"

namespace flyball::endpoints {
namespace {

constexpr std::chrono::seconds kValidFor = std::chrono::days(365);

bool IsUnspecified(const std::string& address) {
  return address.empty() || address == "0.0.0.0" || address == "::";
}

/// With the authority that signed it, which is forgotten at once: nobody else is vouched for.
Result<serving::Certificate> SelfSigned(const std::string& bind_address, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  const std::string when = "@" + std::to_string(seconds);
  FLYBALL_TRY(const auto authority,
              serving::CertificateAuthority::Make("localhost-ca" + when, now, kValidFor));
  serving::CertificateSubject subject{.common_name = "localhost" + when,
                                      .names = {"localhost", "127.0.0.1"},
                                      .valid_for = kValidFor};
  if (!IsUnspecified(bind_address) && bind_address != "127.0.0.1") {
    subject.names.push_back(bind_address);
  }
  FLYBALL_TRY(auto certificate, authority.Issue(subject, now));
  certificate.certificate_pem += authority.self().certificate_pem;
  return certificate;
}

Result<serving::Certificate> Read(const CertificateFiles& files) {
  serving::Certificate certificate;
  FLYBALL_TRY(certificate.certificate_pem, ReadTextFile(files.certificate));
  FLYBALL_TRY(certificate.key_pem, ReadTextFile(files.key));
  return certificate;
}

/// False if neither is there; one without the other is of no use.
Result<bool> IsPair(const CertificateFiles& files) {
  const bool certificate = ReadTextFile(files.certificate).has_value();
  const bool key = ReadTextFile(files.key).has_value();
  if (certificate == key) return certificate;
  return Fail(ErrorCode::kInvalid, "error reading " + (key ? files.certificate : files.key) +
                                       ", certificate and key must be supplied as a pair");
}

}  // namespace

Result<ServingCertificate> ServingCertificate::Create(ServingCertificateOptions options,
                                                      WallTime now) {
  ServingCertificate own(std::move(options));
  CertificateFiles& files = own.options_.files;
  if (!files.certificate.empty() || !files.key.empty()) return own;
  if (own.options_.folder.empty()) {
    FLYBALL_TRY(own.made_, SelfSigned(own.options_.bind_address, now));
    return own;
  }
  const std::filesystem::path folder = own.options_.folder;
  files = {folder / (own.options_.pair_name + ".crt"), folder / (own.options_.pair_name + ".key")};
  FLYBALL_TRY(const bool there, IsPair(files));
  if (there) return own;
  FLYBALL_TRY(const auto made, SelfSigned(own.options_.bind_address, now));
  FLYBALL_TRY(WriteTextFile(files.certificate, made.certificate_pem, /*secret=*/false));
  FLYBALL_TRY(WriteTextFile(files.key, made.key_pem, /*secret=*/true));
  return own;
}

Result<> ServingCertificate::ReadInto(serving::TlsOptions& tls) const {
  tls.certificate = made_;
  if (made_.certificate_pem.empty()) {
    FLYBALL_TRY(tls.certificate, Read(options_.files));
  }
  tls.named.clear();
  for (const auto& [files, names] : options_.named) {
    auto certificate = Read(files);
    if (!certificate) {
      return std::unexpected(certificate.error().Wrap("failed to load SNI cert and key"));
    }
    tls.named.push_back({*std::move(certificate), names});
  }
  return {};
}

}  // namespace flyball::endpoints
