#include "flyball/sandbox/apply/path_element.h"

#include <algorithm>

namespace flyball::sandbox::apply {
namespace {

int CompareKeys(const ItemKey& a, const ItemKey& b) {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const int order = a[i].name.compare(b[i].name); order != 0) return order;
    if (const int order = CompareValues(a[i].value, b[i].value); order != 0) return order;
  }
  if (a.size() == b.size()) return 0;
  return a.size() < b.size() ? -1 : 1;
}

}  // namespace

PathElement PathElement::Key(ItemKey key) {
  std::ranges::sort(key, {}, &KeyField::name);
  return PathElement(Form(std::move(key)));
}

int PathElement::Compare(const PathElement& other) const {
  if (form_.index() != other.form_.index()) return form_.index() < other.form_.index() ? -1 : 1;
  if (const std::string* name = field()) return name->compare(*other.field());
  if (const ItemKey* fields = key()) return CompareKeys(*fields, *other.key());
  if (const Json* json = value()) return CompareValues(*json, *other.value());
  if (*index() == *other.index()) return 0;
  return *index() < *other.index() ? -1 : 1;
}

int PathElement::CompareField(std::string_view name) const {
  const std::string* own = field();
  return own == nullptr ? 1 : std::string_view(*own).compare(name);
}

std::string PathElement::ToString() const {
  if (const std::string* name = field()) return "." + *name;
  if (const Json* json = value()) return "[=" + DescribeValue(*json) + "]";
  if (const std::int64_t* position = index()) return "[" + std::to_string(*position) + "]";
  std::string out;
  for (const KeyField& one : *key()) {
    out += (out.empty() ? "[" : ",") + one.name + "=" + DescribeValue(one.value);
  }
  return out.empty() ? "[]" : out + "]";
}

std::string ToString(const Path& path) {
  std::string out;
  for (const PathElement& element : path) out += element.ToString();
  return out;
}

}  // namespace flyball::sandbox::apply
