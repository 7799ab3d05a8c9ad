#pragma once

#include <memory>

#include "flyball/transport/http.h"

namespace flyball::serving {

/// What is known of a client from its connection.
struct Peer {
  std::shared_ptr<const transport::PeerIdentity> identity = {};  ///< null: a stranger
  std::shared_ptr<const transport::CertificateChain> certificates = {};
};

}  // namespace flyball::serving
