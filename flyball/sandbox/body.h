#pragma once

#include <string>
#include <vector>

#include "flyball/api/object.h"
#include "flyball/sandbox/kind.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/response_encoder.h"
#include "flyball/sandbox/write_options.h"

/// Objects as they come in.
namespace flyball::sandbox {

struct Body {
  api::AnyObject object;
  std::vector<std::string> warnings = {};
};

/// Reads an object of the kind, without its defaults. Members that the kind does not have are
/// dropped, and lead to a warning or a refusal if that is wanted.
StatusOr<Body> ReadBody(const Request& request, const Kind& kind, FieldValidation validation);

/// Drops what the kind does not have from an object that came in JSON, as ReadBody() does, and sets
/// the defaults of a custom kind's schema. Returns what there is to complain of, unless nobody
/// wants to hear it: in the order of the text, if there is one, which alone shows what came twice.
StatusOr<std::vector<std::string>> DropUnknown(api::AnyObject& object, const Kind& kind,
                                               FieldValidation validation,
                                               std::string_view text = {});

/// What complaints say together where they are not put up with.
std::string StrictError(const std::vector<std::string>& complaints);

/// Any object of the API's own, such as DeleteOptions; as it was before if the body is empty.
StatusOr<> ReadOptions(const Request& request, const api::TypeInfo& type, void* object);

}  // namespace flyball::sandbox
