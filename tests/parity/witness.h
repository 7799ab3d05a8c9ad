#pragma once

#include <string_view>

#include "flyball/api/json.h"
#include "flyball/client/discovery.h"
#include "tests/parity/world.h"

namespace flyball::parity {

/// Who sees all that a server holds, what it held, and when that last changed: what a scenario goes
/// by. Any thread.
class Witness {
 public:
  virtual ~Witness() = default;

  /// Looks at this kind too: those from CRDs come up while a server runs.
  virtual void Follow(const client::ServedResource& served) = 0;
  /// Whether it knows what a server answered to a write, or better.
  virtual bool Shows(const client::Resource& resource, const api::Json& answer) const = 0;
  /// What is a scenario's: what has its label, and what is in namespaces that had it.
  virtual World WorldOf(std::string_view scenario) const = 0;
};

}  // namespace flyball::parity
