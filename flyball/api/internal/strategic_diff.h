#pragma once

#include <string>

#include "flyball/api/internal/json_place.h"
#include "flyball/api/internal/patch_schema.h"
#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Finds the strategic merge patch between two documents.
class StrategicDiffer {
 public:
  struct Options {
    bool changes = true;    ///< carry what was added or changed
    bool deletions = true;  ///< carry what was deleted
    bool orders = true;     ///< carry the order of lists that are merged
  };
  explicit StrategicDiffer(Options options) : options_(options) {}

  Result<Json::Object> Objects(const Json::Object& before, const Json::Object& after,
                               const PatchSchema& schema, const JsonPlace& at) const {
    return Objects(before, after, schema, false, at);
  }

 private:
  struct ListPatch;
  struct Entry;

  Result<Json::Object> Objects(const Json::Object& before, const Json::Object& after,
                               const PatchSchema& schema, bool retains_keys,
                               const JsonPlace& at) const;
  Result<> Member(const std::string& name, const Json& before, const Json& after,
                  const PatchSchema& schema, const JsonPlace& at, Json::Object& patch) const;
  Result<> ObjectMember(const std::string& name, const Json& before, const Json& after,
                        const PatchSchema& schema, const JsonPlace& at, Json::Object& patch) const;
  Result<> ListMember(const std::string& name, const Json& before, const Json& after,
                      const PatchSchema& schema, const JsonPlace& at, Json::Object& patch) const;
  void Replace(const std::string& name, const Json& before, const Json& after,
               Json::Object& patch) const;
  Result<ListPatch> Lists(const Json::Array& before, const Json::Array& after,
                          const PatchField& field, const JsonPlace& at) const;
  Result<ListPatch> ObjectLists(const Json::Array& before, const Json::Array& after,
                                const PatchField& field, const JsonPlace& at) const;
  Result<ListPatch> Scalars(const Json::Array& before, const Json::Array& after,
                            const JsonPlace& at) const;
  Result<> Element(const Entry& before, const Entry& after, const PatchField& field,
                   const JsonPlace& at, Json::Array& changes, Json::Array& keys) const;

  const Options options_;
};

}  // namespace flyball::api
