#include "flyball/api/template_hash.h"

#include <utility>

#include "flyball/api/fnv.h"
#include "flyball/api/hash_dump.h"
#include "flyball/api/json.h"
#include "flyball/api/names.h"

namespace flyball::api {

std::string PodTemplateHash(const core::v1::PodTemplateSpec& pod_template,
                            CollisionCount collisions) {
  Fnv32a sum;
  DumpForHash(&pod_template, core::v1::PodTemplateSpec::kType, sum);
  if (collisions) {
    // PARITY: four bytes of the count, little end first, in a buffer of eight.
    const auto count = static_cast<std::uint32_t>(*collisions);
    for (int shift = 0; shift < 32; shift += 8) sum.Add(static_cast<char>(count >> shift));
    for (int i = 0; i < 4; ++i) sum.Add('\0');
  }
  return SafeEncode(std::to_string(sum.sum()));
}

Result<std::string> RevisionData(const core::v1::PodTemplateSpec& pod_template,
                                 RevisionOwner owner) {
  const auto numbers =
      owner == RevisionOwner::kStatefulSet ? JsonNumbers::kFloat64 : JsonNumbers::kExact;
  FLYBALL_TRY(Json saved, ToJson(pod_template, UnknownMembers::kLeftOut, numbers));
  saved.If<Json::Object>()->insert_or_assign("$patch", "replace");
  const Json patch(Json::Object{{"spec", Json::Object{{"template", std::move(saved)}}}});
  return patch.ToString();
}

std::string RevisionHash(std::string_view data, CollisionCount collisions) {
  Fnv32 sum;
  sum.Add(data);
  if (collisions) sum.Add(std::to_string(*collisions));
  return SafeEncode(std::to_string(sum.sum()));
}

}  // namespace flyball::api
