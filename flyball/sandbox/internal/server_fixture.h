#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/transport/fetch.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {

/// A server and its administrator, for tests of what it answers.
class ServerFixture : public testing::Test {
 protected:
  struct Response {
    int status = 0;
    api::Json body = {};

    /// A part of the body by its path, "metadata.name", as JSON text; empty if it is not there.
    std::string At(std::string_view path) const {
      const api::Json* part = &body;
      while (part != nullptr && !path.empty()) {
        const auto dot = path.find('.');
        part = part->Find(path.substr(0, dot));
        path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
      }
      if (part == nullptr) return {};
      const auto* const text = part->If<std::string>();
      return text != nullptr ? *text : part->ToString();
    }
  };

  /// Sends a request as the administrator; paths begin behind "/api/v1/" unless with a slash.
  Response Ask(const std::string& method, const std::string& path, std::string body = {},
               const std::string& type = "application/json") {
    transport::Request request;
    request.method = method;
    request.target = path.starts_with('/') ? path : "/api/v1/" + path;
    request.headers = {{"accept", "application/json"}, {"content-type", type}};
    request.body = std::move(body);
    const auto response = transport::Fetch(transport_, sandbox_.clock(), std::move(request));
    if (!response) return {};
    auto json = api::Json::Parse(response->body);
    return {response->status, json ? *std::move(json) : api::Json()};
  }
  Response Post(const std::string& path, std::string body) {
    return Ask("POST", path, std::move(body));
  }
  Response Get(const std::string& path) { return Ask("GET", path); }
  Response MergePatch(const std::string& path, std::string body) {
    return Ask("PATCH", path, std::move(body), "application/merge-patch+json");
  }

  Sandbox sandbox_;
  transport::Transport& transport_ = sandbox_.transport();
  const client::Client& client_ = sandbox_.client();
};

}  // namespace flyball::sandbox
