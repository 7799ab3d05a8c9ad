#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/transport/fetch.h"

namespace flyball::sandbox {

/// For tests: a server, and somebody who talks to it in plain HTTP, as tools of others do.
class RawServer {
 public:
  /// Without a folder it keeps everything in memory.
  explicit RawServer(std::filesystem::path folder = {})
      : sandbox_(Sandbox::Create({.folder = std::move(folder)}).value()) {}

  transport::Response Send(std::string method, std::string target, std::string body = {},
                           transport::Headers headers = {}) {
    if (!body.empty() && transport::FindHeader(headers, "content-type").empty()) {
      headers.emplace_back("content-type", "application/json");
    }
    transport::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.headers = std::move(headers);
    request.body = std::move(body);
    return transport::Fetch(transport(), clock(), std::move(request)).value();
  }
  transport::Response Get(std::string target, std::string accept = {}) {
    transport::Headers headers;
    if (!accept.empty()) headers.emplace_back("accept", std::move(accept));
    return Send("GET", std::move(target), {}, std::move(headers));
  }
  /// The body of an answer; null if it is no JSON.
  api::Json GetJson(std::string target, std::string accept = {}) {
    return api::Json::Parse(Get(std::move(target), std::move(accept)).body).value_or(api::Json());
  }

  transport::Transport& transport() { return sandbox_->transport(); }
  Clock& clock() { return sandbox_->clock(); }

 private:
  const std::unique_ptr<Sandbox> sandbox_;
};

/// What is at the end of some members' names, as text: a string as it is, anything else as JSON.
inline std::string TextAt(const api::Json& document, std::initializer_list<std::string_view> way) {
  const api::Json* place = &document;
  for (const std::string_view name : way) place = place == nullptr ? nullptr : place->Find(name);
  if (place == nullptr) return "<absent>";
  const auto* const text = place->If<std::string>();
  return text != nullptr ? *text : place->ToString();
}

}  // namespace flyball::sandbox
