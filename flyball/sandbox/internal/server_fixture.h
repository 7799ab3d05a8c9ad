#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/client/client.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/transport/fetch.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {

/// A server and its administrator, for tests of what it answers.
class ServerFixture : public testing::Test {
 protected:
  ServerFixture() {
    auto server = ApiServer::Create({executor_, timers_},
                                    {.accounts = {{"secret", {.name = "admin"}}},
                                     .random = [this] { return random_ += 0x9e3779b97f4a7c15; }});
    server_ = *std::move(server);
    transport_ = server_->As({.name = "admin", .groups = {"system:masters"}});
    rest_ = std::make_unique<client::RestClient>(
        client::RestClient::Deps{.transport = *transport_, .clock = executor_.clock()},
        client::RestClient::Options{});
    client_ = std::make_unique<client::Client>(*rest_);
  }

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
    const auto response = transport::Fetch(*transport_, executor_.clock(), std::move(request));
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

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<client::RestClient> rest_;
  std::unique_ptr<client::Client> client_;
};

}  // namespace flyball::sandbox
