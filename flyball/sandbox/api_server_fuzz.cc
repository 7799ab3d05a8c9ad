/// Input: requests, one behind the other with a byte 0x1e between them. A request is three bytes
/// that pick its method and the media types that it sends and accepts, a target up to the end of
/// the line, and a body. Targets without a slash in front are in the namespace "default".
// libFuzzer: -max_len=2048 -len_control=10
#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>

#include "flyball/api/envelope.h"
#include "flyball/api/json.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/base/check.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/api_server.h"

namespace flyball::sandbox {
namespace {

using api::Json;

constexpr std::string_view kMethods[] = {"POST", "PUT", "PATCH", "GET", "DELETE", "HEAD", "ODD"};
constexpr std::string_view kContentTypes[] = {
    "application/json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "",
    "text/plain",
};
constexpr std::string_view kAccepted[] = {
    "application/json",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    "application/yaml",
    "application/vnd.kubernetes.protobuf;as=Nothing,*/*",
    "text/html",
};

template <std::size_t kSize>
std::string_view Pick(const std::string_view (&choices)[kSize], std::string_view& input) {
  if (input.empty()) return choices[0];
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return choices[byte % kSize];
}

/// A JSON object in place of protobuf is encoded, so that what is behind the decoder is reached.
std::string AsProtobuf(std::string_view body) {
  const auto object = api::DecodeObject(body, api::Format::kJson);
  if (!object) return std::string(body);
  return api::EncodeObject(*object, api::Format::kProtobuf).value_or(std::string(body));
}

transport::Request RequestFrom(std::string_view input) {
  transport::Request request;
  request.method = Pick(kMethods, input);
  const std::string type(Pick(kContentTypes, input));
  request.headers.emplace_back("accept", Pick(kAccepted, input));
  if (!type.empty()) request.headers.emplace_back("content-type", type);
  const auto line = input.find('\n');
  request.target = input.substr(0, line);
  if (!request.target.starts_with('/')) {
    request.target = "/api/v1/namespaces/default/" + request.target;
  }
  if (line != std::string_view::npos) request.body = input.substr(line + 1);
  const bool encode =
      type == "application/vnd.kubernetes.protobuf" && request.body.starts_with('{');
  if (encode) request.body = AsProtobuf(request.body);
  return request;
}

/// What a request was answered with.
class Answered final : public transport::ResponseHandler {
 public:
  void OnHead(transport::ResponseHead head) override {
    FLYBALL_CHECK(response.status == 0, "two heads");
    static_cast<transport::ResponseHead&>(response) = std::move(head);
  }
  void OnData(std::string_view bytes) override { response.body += bytes; }
  void OnEnd(Result<> how) override {
    FLYBALL_CHECK(!ended, "two ends");
    ended = true;
    whole = how.has_value();
  }

  transport::Response response;
  bool ended = false;
  bool whole = false;
};

std::string TextAt(const Json& tree, std::string_view name) {
  const Json* const member = tree.Find(name);
  const auto* const text = member == nullptr ? nullptr : member->If<std::string>();
  return text == nullptr ? "" : *text;
}

/// A body as a tree, whatever its form; nothing for what is no document, such as a watch.
std::optional<Json> TreeOf(const transport::Response& response) {
  const std::string_view type = transport::FindHeader(response.headers, "content-type");
  if (type == "application/json") {
    auto tree = Json::Parse(response.body);
    FLYBALL_CHECK(tree, "an answer that is no JSON: " + response.body);
    return *std::move(tree);
  }
  if (type == "application/yaml") {
    api::JsonTreeSink sink;
    const auto read = api::ReadYaml(response.body, sink);
    FLYBALL_CHECK(read, "an answer that is no YAML: " + response.body);
    return sink.Take();
  }
  if (type != "application/vnd.kubernetes.protobuf") return std::nullopt;
  const auto object = api::DecodeObject(response.body, api::Format::kProtobuf);
  FLYBALL_CHECK(object, "an answer that is no object: " + object.error().Describe());
  auto tree = api::ToJson(object->get(), object->type());
  FLYBALL_CHECK(tree, tree.error().Describe());
  return *std::move(tree);
}

void CheckRefusal(const transport::Response& response) {
  const auto tree = TreeOf(response);
  if (!tree) {
    FLYBALL_CHECK(response.status == 404, "a refusal that is no Status: " + response.body);
    return;
  }
  FLYBALL_CHECK(TextAt(*tree, "kind") == "Status", "a refusal that is no Status: " + response.body);
  const Json* const code = tree->Find("code");
  FLYBALL_CHECK(code != nullptr && *code == Json(response.status),
                "another code: " + response.body);
  FLYBALL_CHECK(TextAt(*tree, "reason") != "InternalError", "our fault: " + response.body);
}

std::uint64_t VersionOf(const Json& tree) {
  const Json* const metadata = tree.Find("metadata");
  const std::string text = metadata == nullptr ? "" : TextAt(*metadata, "resourceVersion");
  std::uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

/// A server of its own for one input, and what must hold of it all the time.
class Session {
 public:
  Session() {
    server_ = ApiServer::Create({executor_, timers_},
                                {.random = [this] { return random_ += 0x9e3779b97f4a7c15; }})
                  .value();
    admin_ = server_->As({.name = "admin", .groups = {"system:masters"}});
  }

  void Play(transport::Request request) {
    const std::string method = request.method;
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool watch = request.target.contains("watch");
    const auto response = Send(std::move(request));
    if (!response) {
      FLYBALL_CHECK(watch, "no end to " + method + " " + path);
      return;
    }
    const int status = response->status;
    FLYBALL_CHECK(status >= 200 && status < 600, "status " + std::to_string(status));
    if (method == "HEAD") return;
    if (status >= 400) return CheckRefusal(*response);
    if (watch || method == "GET") return;
    (void)TreeOf(*response);
    written_.insert(method == "POST" ? path : path.substr(0, path.rfind('/')));
  }

  /// What was stored can be read, in both forms, and is never of the future.
  void CheckStored() {
    for (const std::string& collection : written_) {
      for (const char* const accept : {"application/json", "application/vnd.kubernetes.protobuf"}) {
        transport::Request request;
        request.target = collection;
        request.headers.emplace_back("accept", accept);
        const auto response = Send(std::move(request));
        FLYBALL_CHECK(response, "no end to a list");
        if (response->status != 200) continue;
        const auto list = TreeOf(*response);
        if (!list) continue;
        const std::uint64_t now = VersionOf(*list);
        FLYBALL_CHECK(now >= version_, "versions went back");
        version_ = std::max(version_, now);
        const Json* const items = list->Find("items");
        if (items == nullptr || items->If<Json::Array>() == nullptr) continue;
        for (const Json& item : *items->If<Json::Array>()) {
          const std::uint64_t version = VersionOf(item);
          FLYBALL_CHECK(version > 0 && version <= now, "a version of the future");
        }
      }
    }
  }

 private:
  /// Nothing for what does not end by itself.
  std::optional<transport::Response> Send(transport::Request request) {
    const auto answer = std::make_shared<Answered>();
    const auto exchange = admin_->Send(std::move(request), answer);
    (void)executor_.RunFor({});
    if (answer->ended) return std::move(answer->response);
    exchange->Cancel();
    (void)executor_.RunFor({});
    FLYBALL_CHECK(answer->ended, "it does not end when it is cancelled");
    return std::nullopt;
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<transport::Transport> admin_;
  std::set<std::string> written_;
  std::uint64_t version_ = 0;
};

}  // namespace
}  // namespace flyball::sandbox

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using flyball::sandbox::RequestFrom;
  constexpr std::size_t kMostRequests = 8;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  flyball::sandbox::Session session;
  for (const auto part : std::views::split(input, '\x1e') | std::views::take(kMostRequests)) {
    session.Play(RequestFrom({part.begin(), part.end()}));
  }
  session.CheckStored();
  return 0;
}
