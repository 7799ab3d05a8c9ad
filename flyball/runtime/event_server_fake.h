#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/merge_patch.h"
#include "flyball/base/executor.h"
#include "flyball/client/client.h"
#include "flyball/transport/transport_fake.h"

namespace flyball::runtime {

/// As much of an API server as events need: creates and patches them, and fails on demand. One
/// request at a time.
class FakeEventServer {
 public:
  using Answer = transport::FakeTransport::Answer;

  explicit FakeEventServer(Clock& clock)
      : transport_([this](const transport::Request& request) { return Reply(request); }),
        rest_({.transport = transport_, .clock = clock}, {}) {}

  /// The next requests are answered so, one each, and not carried out.
  void Fail(std::vector<Answer> answers) {
    for (Answer& answer : answers) failures_.push_back(std::move(answer));
  }
  static Answer Unreachable() {
    return Answer::Broken(Error(ErrorCode::kUnavailable, "connection refused"));
  }
  static Answer Refusal(int code, const std::string& reason, const std::string& details = "{}") {
    return Answer::Of(code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" +
                                reason + R"(","details":)" + details + R"(,"code":)" +
                                std::to_string(code) + "}");
  }

  /// Refusal: there is no event of the name with which a path ends.
  static Answer NotFound(const std::string& path) {
    return Refusal(404, "NotFound", R"({"name":")" + path.substr(path.rfind('/') + 1) + "\"}");
  }

  /// In JSON, so that tests can read what was sent.
  client::Client client() { return client::Client(rest_, client::Encoding::kJson); }

  /// "POST /api/v1/namespaces/shop/events {...}", those that failed too.
  const std::vector<std::string>& requests() const { return requests_; }
  /// What the server has, by path.
  std::map<std::string, api::Json>& objects() { return objects_; }

 private:
  Answer Reply(const transport::Request& request) {
    // How long the server may take is no matter here.
    const std::string path = request.target.substr(0, request.target.find("?timeout="));
    requests_.push_back(request.method + " " + path + " " + request.body);
    if (!failures_.empty()) {
      Answer answer = std::move(failures_.front());
      failures_.pop_front();
      return answer;
    }
    const api::Json body = *api::Json::Parse(request.body);
    return request.method == "POST" ? Create(path, body) : Patch(path, body);
  }

  Answer Create(const std::string& collection, const api::Json& object) {
    const std::string* const name = object.Find("metadata")->Find("name")->If<std::string>();
    const auto [at, is_new] = objects_.try_emplace(collection + "/" + *name, object);
    if (!is_new) return Refusal(409, "AlreadyExists");
    return Stored(at->second);
  }

  Answer Patch(const std::string& path, const api::Json& patch) {
    const auto found = objects_.find(path);
    if (found == objects_.end()) return NotFound(path);
    found->second = api::ApplyMergePatch(found->second, patch);
    return Stored(found->second);
  }

  Answer Stored(api::Json& object) {
    auto& metadata = *object.If<api::Json::Object>()->find("metadata");
    (*metadata.If<api::Json::Object>())["resourceVersion"] = std::to_string(++version_);
    return Answer::Of(200, object.ToString());
  }

  std::deque<Answer> failures_;
  std::vector<std::string> requests_;
  std::map<std::string, api::Json> objects_;
  int version_ = 0;
  transport::FakeTransport transport_;
  client::RestClient rest_;
};

}  // namespace flyball::runtime
