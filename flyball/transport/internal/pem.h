#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "flyball/base/free_with.h"

/// PEM as OpenSSL's objects.
namespace flyball::transport {

using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using CertificatePtr = std::unique_ptr<X509, FreeWith<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

/// The text must outlive it.
BioPtr OpenText(const std::string& text);
/// The next certificate of a text; null if there is none.
CertificatePtr ReadCertificate(BIO& text);
/// Null if there is none, or if it is encrypted: nobody is asked for a password.
KeyPtr ReadKey(const std::string& pem);

/// What OpenSSL has to say of the last failure, and forgets by this.
std::string LastReason();

}  // namespace flyball::transport
