#pragma once

#include <string>

#include "flyball/base/result.h"

namespace flyball::transport {

/// How the server proves who it is, and we who we are. All certificates and keys are PEM.
struct TlsOptions {
  std::string roots = {};        ///< whom to trust; empty: whom the system trusts
  std::string certificate = {};  ///< ours, with what chains it to a root; empty: none
  std::string key = {};
  std::string server_name = {};    ///< the name in the server's certificate, if not the host's
  bool skip_server_check = false;  ///< trusts anyone: for experiments

  friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

/// Whether a connection could be made with these: what does not parse, and a key that is not the
/// certificate's, is named.
Result<> CheckTlsOptions(const TlsOptions& options);

}  // namespace flyball::transport
