#pragma once

#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::client {

/// From when until when a certificate is good.
struct CertificateLife {
  WallTime start;
  WallTime end;
};

/// That of the first certificate of a PEM text.
Result<CertificateLife> ReadCertificateLife(const std::string& certificate);

/// Whether a certificate and a key parse and belong together. The error has the place of the one
/// that is to blame for its path.
Result<> CheckClientCertificate(const std::string& certificate, const std::string& key,
                                const std::string& certificate_place, const std::string& key_place);

}  // namespace flyball::client
