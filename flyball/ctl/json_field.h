#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "flyball/api/json.h"

/// Members of objects whose kind is not known here.
namespace flyball::ctl {

using Path = std::initializer_list<std::string_view>;

/// What is there; null if nothing is.
const api::Json* FieldAt(const api::Json& object, Path path);
/// A text there, or none.
std::string TextAt(const api::Json& object, Path path);
/// A whole number there, or another.
std::int64_t NumberAt(const api::Json& object, Path path, std::int64_t otherwise = 0);
/// The elements of a list there; none if there is no list.
const api::Json::Array& ListAt(const api::Json& object, Path path);
/// The members of an object there; none if there is no object.
const api::Json::Object& MembersAt(const api::Json& object, Path path);

/// The place of a member, made with objects on the way as needed.
api::Json& MakeField(api::Json& object, Path path);
void RemoveField(api::Json& object, Path path);

inline std::string NameOf(const api::Json& object) { return TextAt(object, {"metadata", "name"}); }

/// A value as Go's fmt prints it: map[a:b c:d], [a b], <nil>.
std::string GoText(const api::Json& value);

}  // namespace flyball::ctl
