#include "flyball/sandbox/conversion.h"

#include <algorithm>
#include <span>
#include <string>

#include "flyball/base/check.h"
#include "flyball/sandbox/kinds/conversions.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::TypeInfo;

std::span<const Conversion> All() {
  static const Conversion kAll[] = {AutoscalerConversion(), EventConversion()};
  return kAll;
}

/// Null if it is stored as what it is.
const Conversion* ConversionOf(const TypeInfo& served) {
  const auto found = std::ranges::find(All(), &served, &Conversion::served);
  return found == All().end() ? nullptr : &*found;
}

}  // namespace

const TypeInfo& StoredTypeOf(const TypeInfo& served) {
  const Conversion* const conversion = ConversionOf(served);
  return conversion == nullptr ? served : *conversion->stored;
}

bool AreVersions(const TypeInfo& a, const TypeInfo& b) {
  return &StoredTypeOf(a) == &StoredTypeOf(b);
}

std::vector<const TypeInfo*> VersionsInGroup(const TypeInfo& type) {
  std::vector<const TypeInfo*> versions = {&type};
  for (const Conversion& conversion : All()) {
    for (const TypeInfo* const other : {conversion.served, conversion.stored}) {
      if (other == &type || other->group != type.group || !AreVersions(*other, type)) continue;
      versions.push_back(other);
    }
  }
  return versions;
}

AnyObject Convert(AnyObject object, const TypeInfo& to) {
  if (&object.type() == &to) return object;
  if (const Conversion* const from = ConversionOf(object.type())) {
    return Convert(from->to_stored(object), to);
  }
  const Conversion* const back = ConversionOf(to);
  FLYBALL_CHECK(back != nullptr && back->stored == &object.type(),
                "no conversion to " + std::string(to.name));
  return back->to_served(object);
}

}  // namespace flyball::sandbox
