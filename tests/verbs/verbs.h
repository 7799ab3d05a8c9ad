#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"

/// Every verb of the client, written down once: tests/cluster runs them against a real API server,
/// client_fault_test.cc against one that misbehaves, client_secrecy_test.cc with every credential.
namespace flyball::verbs {

enum class Effect : std::uint8_t {
  kReads,
  kStreams,  ///< reads, and hands on what it has got before it has all
  kWatches,
  kWrites,  ///< what must not be done twice
};

struct Verb {
  std::string name;  ///< "DynamicUpdateStatus"
  Effect effect = Effect::kReads;
  /// How errors call it: "update deployments.apps/status space/web".
  std::string asked;
  /// What comes back, as JSON: an object, the items of a list, the objects of a watch's events to
  /// its end; null where the client does not look.
  std::function<Result<api::Json>(const client::Client& client)> run;
  /// What a healthy server may answer, and what comes back then.
  std::string answer;
  api::Json outcome;

  /// Whether what the server says besides its status makes no difference.
  bool IgnoresAnswer() const { return outcome.IsNull(); }
};

/// What CreateToken is answered with: a secret.
inline constexpr std::string_view kIssuedToken = "issued-token-4711";

/// All verbs, on the objects of Prepare() in the namespace `space`, for a client of this encoding.
std::vector<Verb> AllVerbs(const std::string& space, client::Encoding encoding);

/// Makes what the verbs need: each verb finds all of it, and leaves it in any state.
Result<> Prepare(const client::Client& client, const std::string& space, const Verb& verb);

}  // namespace flyball::verbs
