#pragma once

#include <string>

#include "flyball/client/access_config.h"
#include "flyball/client/rest_client.h"
#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/selection.h"
#include "flyball/ctl/trace/timeline.h"

namespace flyball::ctl {

/// Where a manager is that is not asked through the API server's address, and how it is believed.
struct ManagerFlags {
  std::string address = {};                ///< "https://10.0.0.1:10257"; empty: the API server's
  std::string certificate_authority = {};  ///< a file
  bool insecure_skip_tls_verify = false;
};

/// How to get in there: as whoever the kubeconfig says.
Result<client::AccessConfig> AccessOfManager(client::AccessConfig access,
                                             const ManagerFlags& flags);

struct TraceOptions {
  Selection selection = {};
  std::string output = {};  ///< "json": what the manager says, as it says it
  trace::TimelineOptions timeline = {};
};

/// Tells why objects are as they are: what is wrong, if anything is, and what controllers did. The
/// manager is asked at `/debug/trace`; without one the objects alone have to tell it.
Errors Trace(Cluster& cluster, client::RestClient& manager, const TraceOptions& options);

}  // namespace flyball::ctl
