#include "tests/sameness/player.h"

#include "flyball/api/base64.h"
#include "flyball/api/envelope.h"
#include "flyball/api/object.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/transport/fetch.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::sameness {
namespace {

using api::Json;
using scenario::FillIn;
using scenario::FillInText;
using namespace std::chrono_literals;

/// What a protobuf answer holds, as JSON would have shown it.
Result<Json> ReadBody(const std::string& body, std::string_view content_type) {
  if (api::HasProtobufMagic(body)) {
    FLYBALL_TRY(const auto object, api::DecodeObject(body, api::Format::kProtobuf));
    return api::ToJson(object.get(), object.type());
  }
  if (content_type == "application/yaml") {
    api::JsonTreeSink sink;
    FLYBALL_TRY(api::ReadYaml(body, sink));
    return sink.Take();
  }
  auto tree = Json::Parse(body);
  return tree ? *std::move(tree) : Json(body);
}

}  // namespace

Player::Player(Server server, Clock& clock, const Scenario& scenario)
    : server_(std::move(server)), clock_(clock), stand_ins_(scenario.text, clock) {
  values_["ns"] = "same-" + scenario.name;
}

Result<transport::Request> Player::Make(const Step& step) const {
  transport::Request request;
  request.method = step.method;
  request.target = FillInText(step.target, values_);
  request.timeout = 60s;
  const std::string token = step.has_token ? step.token : server_.admin_token;
  if (!token.empty()) request.headers.emplace_back("authorization", "Bearer " + token);
  if (!step.accept.empty()) request.headers.emplace_back("accept", step.accept);
  if (!step.content_type.empty()) {
    request.headers.emplace_back("content-type", step.content_type);
  }
  const Json body = FillIn(step.body, values_);
  switch (step.form) {
    case Step::Form::kNone:
      break;
    case Step::Form::kJson:
      request.body = body.ToString();
      break;
    case Step::Form::kText:
      request.body = *body.If<std::string>();
      break;
    case Step::Form::kProtobuf: {
      FLYBALL_TRY(const auto object, api::DecodeObject(body.ToString(), api::Format::kJson));
      FLYBALL_TRY(request.body, api::EncodeObject(object, api::Format::kProtobuf));
      break;
    }
    case Step::Form::kBase64: {
      FLYBALL_TRY(request.body, api::DecodeBase64(*body.If<std::string>()));
      break;
    }
  }
  return request;
}

Result<transport::Response> Player::Send(const Step& step) {
  constexpr int kTries = 100;
  for (int tries = 1;; ++tries) {
    FLYBALL_TRY(auto request, Make(step));
    FLYBALL_TRY(auto response, transport::Fetch(server_.transport, clock_, std::move(request)));
    if (step.until == 0 || response.status == step.until || tries == kTries) return response;
    clock_.SleepFor(100ms);
  }
}

Result<Json> Player::Play(const Step& step) {
  if (step.method == "FORGET") {
    FLYBALL_TRY(server_.forget_history());
    return Json();
  }
  FLYBALL_TRY(const auto response, Send(step));
  FLYBALL_TRY(const Json body,
              ReadBody(response.body, transport::FindHeader(response.headers, "content-type")));
  for (const auto& [name, path] : step.keep) {
    const Json* const value = scenario::FindPath(body, path);
    if (value != nullptr) values_[name] = *value;
  }
  Json::Object seen;
  seen["status"] = response.status;
  seen["content-type"] = transport::FindHeader(response.headers, "content-type");
  Json::Array warnings;
  for (const auto& [name, value] : response.headers) {
    if (name == "warning") warnings.emplace_back(value);
    if (name == "retry-after") seen["retry-after"] = value;
  }
  if (!warnings.empty()) seen["warning"] = std::move(warnings);
  seen["body"] = body;
  return stand_ins_.Replace(seen);
}

}  // namespace flyball::sameness
