#pragma once

#include <string>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

/// JSON merge patches (RFC 7386): the members that change, null for those that go.
namespace flyball::api {

/// The patch that turns `from` into `to`; an empty object if they are equal. Lists are replaced as
/// a whole. Fails where no such patch exists: a merge patch cannot set a member to null.
Result<Json> CreateMergePatch(const Json& from, const Json& to);

/// What a patch makes of a document. Every document and every patch give one.
Json ApplyMergePatch(const Json& document, const Json& patch);

/// The patch between two objects of one type. Fields that do not differ do not appear, so that a
/// patch made from views of what was read touches nothing that was not.
template <typename T>
Result<Json> CreateMergePatch(const T& from, const T& to) {
  FLYBALL_TRY(const Json before, ToJson(from));
  FLYBALL_TRY(const Json after, ToJson(to));
  return CreateMergePatch(before, after);
}

}  // namespace flyball::api
