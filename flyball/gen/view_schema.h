#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/gen/schema.h"

/// The declarations in views.txt, checked against the schema.
namespace flyball::gen {

struct ViewFieldFacts {
  const FieldFacts* field = nullptr;  ///< in the schema; inlined where `field->inlined`
  bool pooled = false;
  bool sparse = false;
  bool incidental = false;
  std::vector<std::string> keys;
};

struct ViewTypeFacts {
  const StructFacts* type = nullptr;
  std::vector<ViewFieldFacts> fields;   ///< by ascending protobuf number
  std::vector<const FieldFacts*> rare;  ///< by ascending protobuf number
};

struct ViewFacts {
  std::string name;
  const StructFacts* kind = nullptr;
  std::vector<ViewTypeFacts> types;  ///< each after those that it is made of

  const ViewTypeFacts* FindType(std::string_view qualified_name) const;
};

/// Reads view declarations; `file` is named in errors. Every type a view reaches must be declared,
/// every type declared must be reached, every field must exist.
Result<std::vector<ViewFacts>> ParseViews(const Schema& schema, std::string_view file,
                                          std::string_view text);

}  // namespace flyball::gen
