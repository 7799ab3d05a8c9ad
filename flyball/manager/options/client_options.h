#pragma once

#include <cstdint>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

/// How to reach the API server, and how much of it to ask.
struct ClientOptions {
  std::string kubeconfig = {};
  std::string master = {};
  std::string content_type = "application/vnd.kubernetes.protobuf";
  float qps = 20;
  std::int32_t burst = 30;
  /// Whether somebody asked for these two: only then are they a limit (client::FixedLimiter).
  bool limit_given = false;

  void AddGenericFlags(flags::FlagSection& section) {
    section.Add("kube-api-content-type", content_type,
                "Content type of objects in requests to the API server and in its responses: "
                "application/vnd.kubernetes.protobuf or application/json.");
    section.Add(
        "kube-api-qps", qps,
        "Average number of requests per second that one client (each controller has one) may send "
        "to the API server; a negative number means no limit. If neither this flag nor "
        "--kube-api-burst is given, the limit follows how fast the API server answers.");
    section.Add("kube-api-burst", burst,
                "Number of requests to the API server that one client may send in a burst, above "
                "the rate of --kube-api-qps.");
  }

  void AddMiscFlags(flags::FlagSection& section) {
    section.Add("master", master,
                "URL of the API server, which overrides the one in --kubeconfig.");
    section.Add("kubeconfig", kubeconfig,
                "Kubeconfig file with the address of the API server and the credentials of this "
                "program. Empty means the ServiceAccount of the pod, if this program runs in one.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("kubeconfig", kubeconfig);
    config.Add("acceptContentTypes", "");
    config.Add("contentType", content_type);
    config.Add("qps", qps);
    config.Add("burst", burst);
  }
};

}  // namespace flyball::manager
