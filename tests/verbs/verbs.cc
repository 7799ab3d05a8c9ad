#include "tests/verbs/verbs.h"

#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/base/check.h"

namespace flyball::verbs {
namespace {

using api::Json;
using apps::v1::Deployment;
using authentication::v1::TokenRequest;
using autoscaling::v1::Scale;
using client::Client;
using client::Encoding;
using client::ObjectKey;
using client::PatchType;
using client::Resource;
using core::v1::Pod;
using core::v1::ServiceAccount;
using meta::v1::PartialObjectMetadata;

template <typename T>
std::string BytesOf(const T& object, Encoding encoding) {
  const auto body = client::ObjectCodec<T>::Encode(object, encoding);
  FLYBALL_CHECK(body.has_value(), "an object that can be encoded");
  return body->bytes;
}

Json Parse(const std::string& text) {
  auto json = Json::Parse(text);
  FLYBALL_CHECK(json.has_value(), "JSON");
  return *std::move(json);
}

template <typename T>
Json JsonOf(const T& object) {
  return Parse(BytesOf(object, Encoding::kJson));
}

/// A Result of an object as one of JSON.
template <typename T>
Result<Json> AsJson(const Result<T>& result) {
  if (!result) return std::unexpected(result.error());
  return JsonOf(*result);
}
Result<Json> AsJson(const Result<>& result) {
  if (!result) return std::unexpected(result.error());
  return Json();
}

Deployment MakeDeployment(const std::string& space) {
  Deployment object;
  object.metadata.namespace_ = space;
  object.metadata.name = "web";
  object.spec.replicas = 2;
  object.spec.selector.emplace().matchLabels["app"] = "web";
  object.spec.template_.metadata.labels["app"] = "web";
  auto& container = object.spec.template_.spec.containers.emplace_back();
  container.name = "c";
  container.image = "nginx:1";
  return object;
}

Pod MakePod(const std::string& space) {
  Pod pod;
  pod.metadata.namespace_ = space;
  pod.metadata.name = "web-0";
  pod.spec.containers = MakeDeployment(space).spec.template_.spec.containers;
  return pod;
}

Scale MakeScale(const std::string& space) {
  Scale scale;
  scale.metadata.namespace_ = space;
  scale.metadata.name = "web";
  scale.spec.replicas = 5;
  return scale;
}

/// One event, as the server frames it.
template <typename T>
std::string FrameOf(const T& object, Encoding encoding) {
  if (encoding == Encoding::kJson) {
    return R"({"type":"ADDED","object":)" + BytesOf(object, encoding) + "}\n";
  }
  meta::v1::WatchEvent event;
  event.type = "ADDED";
  event.object.raw = BytesOf(object, encoding);
  return api::SealFrame(*api::EncodeProtobuf(event));
}

template <typename T>
std::string ListOf(const T& object) {
  return R"({"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{},"items":[)" +
         BytesOf(object, Encoding::kJson) + "]}";
}

meta::v1::ListOptions WatchOptions() {
  meta::v1::ListOptions options;
  options.resourceVersion = "0";  // begins with what there is
  options.timeoutSeconds = 1;
  return options;
}

template <typename T>
Result<Json> ReadToEnd(client::Watch<T> watch) {
  Json::Array seen;
  for (;;) {
    FLYBALL_TRY(const auto event, watch.Next());
    if (!event) return Json(std::move(seen));
    seen.push_back(JsonOf(event->object));
  }
}

/// Gathers verbs, all of one namespace and encoding.
class Table {
 public:
  Table(std::string space, Encoding encoding) : space_(std::move(space)), encoding_(encoding) {}

  /// What all three forms of access have. `make` gives the client of the form, `object` is what the
  /// server has there.
  template <typename T, typename Make>
  void AddCommon(const std::string& form, const T& object, Make make, Encoding encoding) {
    const std::string space = space_;
    const ObjectKey key{space, "web"};
    AddObject(form + "Get", Effect::kReads, "get deployments.apps " + key.ToString(), object,
              encoding, [=](const Client& client) { return AsJson(make(client).Get(key)); });
    Add({form + "List", Effect::kReads, "list deployments.apps in " + space,
         [=](const Client& client) -> Result<Json> {
           FLYBALL_TRY(const auto list, make(client).ListIn(space));
           Json::Array items;
           for (const T& item : list.items) items.push_back(JsonOf(item));
           return Json(std::move(items));
         },
         ListOf(object), Json(Json::Array{JsonOf(object)})});
    Add({form + "Watch", Effect::kWatches, "watch deployments.apps in " + space,
         [=](const Client& client) -> Result<Json> {
           FLYBALL_TRY(auto watch, make(client).WatchIn(space, WatchOptions()));
           return ReadToEnd(std::move(watch));
         },
         FrameOf(object, encoding), Json(Json::Array{JsonOf(object)})});
    AddObject(form + "Patch", Effect::kWrites, "patch deployments.apps " + key.ToString(), object,
              encoding, [=](const Client& client) {
                return AsJson(make(client).Patch(
                    key, {PatchType::kMerge, R"({"metadata":{"labels":{"a":"b"}}})"}));
              });
    AddBlind(form + "Delete", "delete deployments.apps " + key.ToString(),
             [=](const Client& client) { return AsJson(make(client).Delete(key)); });
    AddBlind(form + "DeleteCollection", "delete all deployments.apps in " + space,
             [=](const Client& client) { return AsJson(make(client).DeleteCollection(space)); });
  }

  /// The way of the caches, whose objects come one by one.
  template <typename T, typename Make>
  void AddReader(const std::string& form, const T& object, Make make, Encoding encoding) {
    const std::string space = space_;
    Add({form + "ReaderList", Effect::kStreams, "list deployments.apps in " + space,
         [=](const Client& client) -> Result<Json> {
           Json::Array items;
           const auto list = make(client).List(space, {}, {}, [&](const auto& item) -> Result<> {
             items.push_back(JsonOf(*item));
             return {};
           });
           FLYBALL_TRY(list);
           return Json(std::move(items));
         },
         ListOf(object), Json(Json::Array{JsonOf(object)})});
    Add({form + "ReaderWatch", Effect::kWatches, "watch deployments.apps in " + space,
         [=](const Client& client) -> Result<Json> {
           auto reader = make(client);
           FLYBALL_TRY(auto watch, reader.Watch(space, WatchOptions(), {}));
           Json::Array seen;
           for (;;) {
             FLYBALL_TRY(const auto event, watch.Next());
             if (!event) return Json(std::move(seen));
             seen.push_back(JsonOf(*event->object));
           }
         },
         FrameOf(object, encoding), Json(Json::Array{JsonOf(object)})});
  }

  /// What needs whole objects.
  template <typename T, typename Make>
  void AddWholeObjects(const std::string& form, const T& object, Make make, Encoding encoding) {
    const std::string named = space_ + "/web";
    AddObject(form + "Create", Effect::kWrites, "create deployments.apps " + named, object,
              encoding, [=](const Client& client) { return AsJson(make(client).Create(object)); });
    AddObject(form + "CreateDryRun", Effect::kWrites, "create deployments.apps " + named, object,
              encoding, [=](const Client& client) {
                meta::v1::CreateOptions options;
                options.dryRun = {"All"};
                return AsJson(make(client).Create(object, options));
              });
    AddObject(form + "Update", Effect::kWrites, "update deployments.apps " + named, object,
              encoding, [=](const Client& client) { return AsJson(make(client).Update(object)); });
    AddObject(form + "UpdateStatus", Effect::kWrites, "update deployments.apps/status " + named,
              object, encoding,
              [=](const Client& client) { return AsJson(make(client).UpdateStatus(object)); });
  }

  void AddPatches(const Deployment& object) {
    const ObjectKey key{space_, "web"};
    const std::pair<const char*, client::Patch> patches[] = {
        {"PatchJson",
         {PatchType::kJson, R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}}])"}},
        {"PatchStrategic", {PatchType::kStrategic, R"({"metadata":{"labels":{"a":"b"}}})"}},
        {"Apply",
         {PatchType::kApply, R"({"apiVersion":"apps/v1","kind":"Deployment",)"
                             R"("metadata":{"name":"web","labels":{"a":"b"}}})"}},
    };
    for (const auto& [name, patch] : patches) {
      AddObject(name, Effect::kWrites, "patch deployments.apps " + key.ToString(), object,
                encoding_, [=](const Client& client) {
                  meta::v1::PatchOptions options;
                  options.fieldManager = "tests";
                  return AsJson(client.Of<Deployment>().Patch(key, patch, options));
                });
    }
  }

  void AddScale() {
    const ObjectKey key{space_, "web"};
    const Scale scale = MakeScale(space_);
    const std::string part = " deployments.apps/scale " + key.ToString();
    AddObject("GetScale", Effect::kReads, "get" + part, scale, encoding_,
              [=](const Client& client) { return AsJson(client.Of<Deployment>().GetScale(key)); });
    AddObject(
        "UpdateScale", Effect::kWrites, "update" + part, scale, encoding_,
        [=](const Client& client) { return AsJson(client.Of<Deployment>().UpdateScale(scale)); });
    AddObject("PatchScale", Effect::kWrites, "patch" + part, scale, encoding_,
              [=](const Client& client) {
                return AsJson(client.Of<Deployment>().PatchPart<Scale>(
                    key, "scale", {PatchType::kMerge, R"({"spec":{"replicas":5}})"}));
              });
  }

  void AddPodsAndTokens() {
    core::v1::Binding binding;
    binding.metadata.namespace_ = space_;
    binding.metadata.name = "web-0";
    binding.target.kind = "Node";
    binding.target.name = "node-1";
    AddBlind("Bind", "bind pods/binding " + space_ + "/web-0",
             [=](const Client& client) { return AsJson(client.Bind(binding)); });
    policy::v1::Eviction eviction;
    eviction.metadata.namespace_ = space_;
    eviction.metadata.name = "web-0";
    AddBlind("Evict", "evict pods/eviction " + space_ + "/web-0",
             [=](const Client& client) { return AsJson(client.Evict(eviction)); });
    TokenRequest issued;
    issued.metadata.name = "default";
    issued.spec.expirationSeconds = 600;
    issued.status.token = kIssuedToken;
    AddObject("CreateToken", Effect::kWrites, "create serviceaccounts/token " + space_ + "/default",
              issued, encoding_, [space = space_](const Client& client) {
                TokenRequest wanted;
                wanted.spec.expirationSeconds = 600;
                return AsJson(client.CreateToken({space, "default"}, wanted));
              });
  }

  std::vector<Verb> Take() { return std::move(verbs_); }

 private:
  using Run = std::function<Result<Json>(const Client&)>;

  void Add(Verb verb) { verbs_.push_back(std::move(verb)); }

  /// A verb that is answered with an object.
  template <typename T>
  void AddObject(std::string name, Effect effect, std::string asked, const T& object,
                 Encoding encoding, Run run) {
    Add({std::move(name), effect, std::move(asked), std::move(run), BytesOf(object, encoding),
         JsonOf(object)});
  }

  /// A verb whose answer is not looked at.
  void AddBlind(std::string name, std::string asked, Run run) {
    Add({std::move(name), Effect::kWrites, std::move(asked), std::move(run),
         R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})", Json()});
  }

  const std::string space_;
  const Encoding encoding_;
  std::vector<Verb> verbs_;
};

}  // namespace

std::vector<Verb> AllVerbs(const std::string& space, Encoding encoding) {
  const Deployment whole = MakeDeployment(space);
  PartialObjectMetadata metadata;
  metadata.metadata.namespace_ = space;
  metadata.metadata.name = "web";
  const auto typed = [](const Client& client) { return client.Of<Deployment>(); };
  const auto dynamic = [](const Client& client) {
    return client.Dynamic(Resource::Of<Deployment>());
  };
  const auto bare = [](const Client& client) {
    return client.Metadata(Resource::Of<Deployment>());
  };
  Table table(space, encoding);
  table.AddCommon("", whole, typed, encoding);
  table.AddWholeObjects("", whole, typed, encoding);
  table.AddPatches(whole);
  table.AddScale();
  table.AddPodsAndTokens();
  table.AddCommon("Dynamic", JsonOf(whole), dynamic, Encoding::kJson);
  table.AddWholeObjects("Dynamic", JsonOf(whole), dynamic, Encoding::kJson);
  table.AddCommon("Metadata", metadata, bare, encoding);
  table.AddReader(
      "", whole, [](const Client& client) { return client.Reader<Deployment>(); }, encoding);
  table.AddReader(
      "Dynamic", JsonOf(whole),
      [](const Client& client) { return client.DynamicReader(Resource::Of<Deployment>()); },
      Encoding::kJson);
  table.AddReader(
      "Metadata", metadata,
      [](const Client& client) { return client.MetadataReader(Resource::Of<Deployment>()); },
      encoding);
  return table.Take();
}

Result<> Prepare(const Client& client, const std::string& space, const Verb& verb) {
  ServiceAccount account;
  account.metadata.namespace_ = space;
  account.metadata.name = "default";
  FLYBALL_TRY(client.Of<ServiceAccount>().Create(account));
  FLYBALL_TRY(client.Of<Pod>().Create(MakePod(space)));
  if (verb.name.ends_with("Create") || verb.name.ends_with("CreateDryRun")) return {};
  FLYBALL_TRY(client.Of<Deployment>().Create(MakeDeployment(space)));
  return {};
}

}  // namespace flyball::verbs
