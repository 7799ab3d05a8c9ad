#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/sandbox/custom/custom_schema.h"
#include "flyball/sandbox/json_path.h"

namespace flyball::sandbox {

/// What a CRD says of one version of its resource, ready for use.
struct CustomVersion {
  struct Column {
    std::string name, type, format, description;
    std::int32_t priority = 0;
    JsonPath path;
  };
  struct Scale {
    JsonPath spec_replicas, status_replicas;
    std::optional<JsonPath> selector;
    std::string spec_place, status_place;  ///< as the definition calls them: ".spec.replicas"
  };

  std::shared_ptr<const CustomSchema> schema = {};
  std::vector<Column> columns = {};
  std::optional<Scale> scale = {};
  std::string deprecation_warning = {};  ///< empty: it is not deprecated
};

}  // namespace flyball::sandbox
