#include "flyball/controllers/job/pod_release.h"

#include "flyball/api/json_writer.h"
#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {

std::string ReleasePatch(std::string_view uid) {
  std::string text;
  api::JsonWriter json(text);
  json.BeginObject();
  json.Key("metadata");
  json.BeginObject();
  json.Key("$deleteFromPrimitiveList/finalizers");
  json.BeginArray();
  json.String(kTrackingFinalizer);
  json.EndArray();
  json.Key("uid");
  json.String(uid);
  json.EndObject();
  json.EndObject();
  return text;
}

std::vector<Result<>> ReleasePods(runtime::Context& context, std::span<const PodRef> pods) {
  std::vector<api::ObjectKey> keys;
  std::vector<client::Patch> patches;
  keys.reserve(pods.size());
  patches.reserve(pods.size());
  for (const PodRef& pod : pods) {
    keys.push_back(api::ObjectKey::Of(*pod));
    patches.push_back({client::PatchType::kStrategic, ReleasePatch(pod->metadata.uid)});
  }
  std::vector<Result<>> released;
  released.reserve(pods.size());
  for (const auto& patched : context.PatchAll<core::v1::Pod>(keys, patches)) {
    if (patched || patched.error().code() == ErrorCode::kNotFound) {
      released.emplace_back();
    } else {
      released.emplace_back(std::unexpected(patched.error().Wrap("removing tracking finalizer")));
    }
  }
  return released;
}

}  // namespace flyball::controllers::job
