#pragma once

#include <string>
#include <vector>

#include "flyball/api/object.h"
#include "flyball/sandbox/kind.h"
#include "flyball/sandbox/representation.h"
#include "flyball/sandbox/request.h"

/// Objects as they come in.
namespace flyball::sandbox {

/// What becomes of members that the kind does not have.
enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };
/// From the query; `options` is the kind that a refusal names, "CreateOptions".
Answered<FieldValidation> FieldValidationOf(const Query& query, std::string_view options);

/// The only kind of attempt is one in which everything is tried and nothing is done: "All".
Answered<> CheckDryRun(const std::vector<std::string>& asked, std::string_view options);

struct Body {
  api::AnyObject object;
  std::vector<std::string> warnings = {};
};

/// Reads an object of the kind, without its defaults. Members that the kind does not have are
/// dropped, and lead to a warning or a refusal if that is wanted.
Answered<Body> ReadBody(const Request& request, const Kind& kind, FieldValidation validation);

/// Drops what the kind does not have from an object that came in JSON, as ReadBody() does, and sets
/// the defaults of a custom kind's schema.
/// Duplicates can only be seen in the text, if there is one.
Answered<std::vector<std::string>> DropUnknown(api::AnyObject& object, const Kind& kind,
                                               FieldValidation validation,
                                               std::string_view text = {});

/// Any object of the API's own, such as DeleteOptions; as it was before if the body is empty.
Answered<> ReadOptions(const Request& request, const api::TypeInfo& type, void* object);

}  // namespace flyball::sandbox
