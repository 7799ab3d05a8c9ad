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
                "The content type of requests to the API server.");
    section.Add("kube-api-qps", qps,
                "How many requests a second go to the API server at most. Without this and "
                "--kube-api-burst it is as many as the server answers promptly.");
    section.Add("kube-api-burst", burst,
                "How many requests may go to the API server at once, whatever the rate.");
  }

  void AddMiscFlags(flags::FlagSection& section) {
    section.Add("master", master, "The address of the API server, whatever the kubeconfig says.");
    section.Add("kubeconfig", kubeconfig,
                "A file that says where the API server is and how to prove who we are.");
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
