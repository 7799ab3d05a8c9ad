#include "flyball/ctl/cluster.h"

#include <utility>

#include "flyball/client/watch.h"

namespace flyball::ctl {
namespace {

constexpr std::string_view kTableType =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

std::string AcceptOf(Cluster::Form form) {
  return std::string(form == Cluster::Form::kTable ? kTableType : client::kJsonType);
}

/// The text in `299 - "the text"`.
std::string WarningText(std::string_view header) {
  const std::size_t start = header.find('"');
  std::string text;
  for (std::size_t i = start + 1; start != std::string_view::npos && i < header.size(); ++i) {
    if (header[i] == '"') break;
    if (header[i] == '\\' && i + 1 < header.size()) ++i;
    text += header[i];
  }
  return text;
}

/// What a server says stands alone. RestClient's own words have what was asked before them, which
/// is nothing here: they are about a response without any, or about no response at all.
Error AsTold(const Error& error) {
  const std::string& message = error.message();
  if (!message.starts_with(": ")) return error;
  std::string text = message.substr(2);
  if (!text.starts_with("status ")) return {ErrorCode::kIo, std::move(text)};
  Error plain(error.code(), error.path(), std::move(text));
  plain.set_detail(error.detail());
  return plain;
}

client::RestRequest Make(const client::Resource& resource, std::string method, const ObjectKey& key,
                         std::string_view subresource = {}) {
  return client::ResourceRequests(resource).Make("", std::move(method), key, subresource);
}

}  // namespace

Result<const client::Served*> Cluster::Served() {
  if (served_) return &*served_;
  auto served = client::Discover(rest_);
  if (!served) {
    // Its words are for logs; the same request tells it as others do.
    FLYBALL_TRY(Send({.path = "/api"}));
    return std::unexpected(served.error());
  }
  return &served_.emplace(*std::move(served));
}

void Cluster::Warn(const transport::Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (name != "warning") continue;
    const std::string text = WarningText(value);
    if (!text.empty() && warned_.insert(text).second) console_.err << "Warning: " << text << "\n";
  }
}

Result<transport::Response> Cluster::Send(client::RestRequest request) {
  request.asked.clear();
  auto response = rest_.Do(std::move(request));
  if (!response) return std::unexpected(AsTold(response.error()));
  Warn(response->headers);
  return response;
}

Result<Json> Cluster::SendForJson(client::RestRequest request) {
  FLYBALL_TRY(const auto response, Send(std::move(request)));
  return Json::Parse(response.body);
}

Result<Json> Cluster::Get(const client::Resource& resource, const ObjectKey& key,
                          std::string_view subresource) {
  return SendForJson(Make(resource, "GET", key, subresource));
}

Result<Json> Cluster::Create(const client::Resource& resource, const ObjectKey& key,
                             const Json& object, const meta::v1::CreateOptions& options) {
  client::RestRequest request = Make(resource, "POST", {key.namespace_, ""});
  request.query = client::QueryOf(options);
  request.body = object.ToString();
  request.content_type = client::kJsonType;
  return SendForJson(std::move(request));
}

Result<Json> Cluster::Update(const client::Resource& resource, const ObjectKey& key,
                             const Json& object, std::string_view subresource,
                             const meta::v1::UpdateOptions& options) {
  client::RestRequest request = Make(resource, "PUT", key, subresource);
  request.query = client::QueryOf(options);
  request.body = object.ToString();
  request.content_type = client::kJsonType;
  return SendForJson(std::move(request));
}

Result<Json> Cluster::Patch(const client::Resource& resource, const ObjectKey& key,
                            const client::Patch& patch, const meta::v1::PatchOptions& options,
                            std::string_view subresource) {
  return SendForJson(
      client::ResourceRequests(resource).MakePatch(key, patch, options, subresource));
}

Result<Json> Cluster::Delete(const client::Resource& resource, const ObjectKey& key,
                             const meta::v1::DeleteOptions& options) {
  client::RestRequest request = Make(resource, "DELETE", key);
  FLYBALL_TRY(request.body, api::EncodeJson(options));
  request.content_type = client::kJsonType;
  return SendForJson(std::move(request));
}

Result<> Cluster::List(const client::Resource& resource, const std::string& namespace_,
                       meta::v1::ListOptions options, Form form,
                       const std::function<Result<>(const Json& page)>& each) {
  if (options.limit == 0) options.limit = 500;
  for (;;) {
    client::RestRequest request = Make(resource, "GET", {namespace_, ""});
    request.query = client::QueryOf(options);
    request.accept = AcceptOf(form);
    FLYBALL_TRY(const Json page, SendForJson(std::move(request)));
    FLYBALL_TRY(each(page));
    const Json* const metadata = page.Find("metadata");
    const Json* const next = metadata == nullptr ? nullptr : metadata->Find("continue");
    const auto* const token = next == nullptr ? nullptr : next->If<std::string>();
    if (token == nullptr || token->empty()) return {};
    options.continue_ = *token;
  }
}

Result<std::vector<Json>> Cluster::ListObjects(const client::Resource& resource,
                                               const std::string& namespace_,
                                               const meta::v1::ListOptions& options) {
  std::vector<Json> objects;
  FLYBALL_TRY(List(resource, namespace_, options, Form::kObjects, [&](const Json& page) {
    const Json* const items = page.Find("items");
    const auto* const array = items == nullptr ? nullptr : items->If<Json::Array>();
    if (array == nullptr) return Result<>();
    for (const Json& item : *array) {
      objects.push_back(item);
      client::NameKind(objects.back(), resource.ApiVersion(), resource.kind);
    }
    return Result<>();
  }));
  return objects;
}

Result<Json> Cluster::GetAs(const client::Resource& resource, const ObjectKey& key, Form form) {
  client::RestRequest request = Make(resource, "GET", key);
  request.accept = AcceptOf(form);
  return SendForJson(std::move(request));
}

Result<> Cluster::Watch(
    const client::Resource& resource, const std::string& namespace_, meta::v1::ListOptions options,
    Form form, const std::function<bool(client::EventType type, const Json& object)>& each) {
  options.watch = true;
  client::RestRequest request = Make(resource, "GET", {namespace_, ""});
  request.asked.clear();
  request.query = client::QueryOf(options);
  auto events = client::OpenWatch(rest_, std::move(request), AcceptOf(form));
  if (!events) return std::unexpected(AsTold(events.error()));
  for (;;) {
    FLYBALL_TRY(const auto event, events->Next());
    if (!event) return {};
    FLYBALL_TRY(const Json object, Json::Parse(event->object));
    if (!each(event->type, object)) return {};
  }
}

}  // namespace flyball::ctl
