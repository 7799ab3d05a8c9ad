#pragma once

#include <cstdint>
#include <string_view>

#include "flyball/api/internal/json_place.h"
#include "flyball/api/internal/patch_schema.h"
#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Merges a strategic merge patch into a document.
class StrategicMerger {
 public:
  enum class Into : std::uint8_t {
    kDocument,  ///< carries the directives out; nulls delete
    kPatch,     ///< the document is itself a patch: nulls and directives stay, to be sent
  };
  explicit StrategicMerger(Into into) : into_(into) {}

  /// On an error the document is half changed and must be thrown away.
  Result<> Objects(Json::Object& document, Json::Object patch, const PatchSchema& schema,
                   const JsonPlace& at) const;

 private:
  struct Merged;

  Result<> RetainKeys(Json::Object& document, Json::Object& patch, const JsonPlace& at) const;
  Result<> Ordered(Json::Object& document, Json::Object& patch, const std::string& directive,
                   const PatchSchema& schema, const JsonPlace& at) const;
  Result<Json::Array> OrderedLists(const Json::Array* before, const Json::Array* changes,
                                   const Json::Array& order, const PatchField& field,
                                   const JsonPlace& at) const;
  Result<> Member(Json::Object& document, std::string_view name, Json change,
                  const PatchSchema& schema, const JsonPlace& at) const;
  Result<Merged> Lists(Json::Array list, Json::Array patch, const PatchField& field, bool deletes,
                       const JsonPlace& at) const;
  Result<Merged> Scalars(Json::Array list, Json::Array patch, bool deletes,
                         const JsonPlace& at) const;
  Result<Merged> ObjectLists(Json::Array list, Json::Array patch, const PatchField& field,
                             const JsonPlace& at) const;

  const Into into_;
};

}  // namespace flyball::api
