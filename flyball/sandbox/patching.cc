#include "flyball/sandbox/patching.h"

#include "flyball/api/json_patch.h"
#include "flyball/api/merge_patch.h"
#include "flyball/api/strategic_merge.h"

namespace flyball::sandbox {
namespace {

using api::Json;

/// A patch that is well formed and does not fit: kube-apiserver does not say why.
ApiStatusError DoesNotApply() {
  meta::v1::Status status;
  status.status = "Failure";
  status.code = 422;
  status.reason = "Invalid";
  status.message = "the server rejected our request due to an error in our request";
  status.details.emplace();
  return ApiStatusError(std::move(status));
}

StatusOr<Json> ApplyJsonPatch(const std::string& body, const Json& object) {
  const auto patch = api::JsonPatch::Parse(body);
  if (!patch) {
    if (patch.error().code() == ErrorCode::kTooLarge) {
      return std::unexpected(TooLarge(patch.error().message()));
    }
    if (!Json::Parse(body)) return std::unexpected(BadRequest("invalid JSON patch"));
    if (patch.error().code() == ErrorCode::kMalformed) {
      return std::unexpected(BadRequest("error decoding patch: " + patch.error().Describe()));
    }
    return std::unexpected(DoesNotApply());
  }
  auto patched = patch->Apply(object);
  if (!patched) return std::unexpected(DoesNotApply());
  return *std::move(patched);
}

StatusOr<Json> ParsePatch(const std::string& body) {
  auto patch = Json::Parse(body);
  if (!patch) return std::unexpected(BadRequest("invalid JSON patch"));
  if (patch->IsNull()) return std::unexpected(BadRequest("Invalid JSON Patch"));
  if (patch->If<Json::Object>() == nullptr) {
    return std::unexpected(BadRequest("error decoding patch: it must be an object"));
  }
  return *std::move(patch);
}

}  // namespace

StatusOr<PatchKind> PatchKindOf(const Request& request, const Kind& kind) {
  const std::string_view header = request.Header("content-type");
  const std::string_view type = header.substr(0, header.find(';'));
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/apply-patch+yaml") return PatchKind::kApply;
  if (type == "application/strategic-merge-patch+json" && !kind.custom()) {
    return PatchKind::kStrategic;
  }
  if (!kind.custom()) return std::unexpected(UnsupportedMediaType("415: Unsupported Media Type"));
  return std::unexpected(UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
}

StatusOr<Json> ApplyPatch(PatchKind patch, const std::string& body, const Kind& kind,
                          const Json& object) {
  if (patch == PatchKind::kJson) return ApplyJsonPatch(body, object);
  FLYBALL_TRY(const Json change, ParsePatch(body));
  if (patch == PatchKind::kMerge) return api::ApplyMergePatch(object, change);
  auto patched = api::ApplyStrategicMergePatch(object, change, kind.type());
  if (patched) return *std::move(patched);
  if (patched.error().code() == ErrorCode::kBadRequest) {
    return std::unexpected(BadRequest(patched.error().Describe()));
  }
  return std::unexpected(DoesNotApply());
}

}  // namespace flyball::sandbox
