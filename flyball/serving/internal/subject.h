#pragma once

#include <openssl/x509.h>

#include <string>
#include <vector>

namespace flyball::serving {

/// Who a certificate is for.
struct Subject {
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> uids = {};
};
Subject SubjectOf(const X509* certificate);

/// The names of a server that a certificate is for: DNS names, and the common name if it is one.
std::vector<std::string> NamesOf(const X509* certificate);

}  // namespace flyball::serving
