#include "flyball/sandbox/record.h"

#include <algorithm>

#include "flyball/base/check.h"

namespace flyball::sandbox {
namespace {

/// Where a field that selectors name is; empty if they may not name it.
std::string_view PathOf(const Kind& kind, std::string_view name) {
  if (name == "metadata.name" || name == "metadata.namespace") return name;
  const auto selectable = kind.facts().selectable;
  const auto found = std::ranges::find(selectable, name, &SelectableField::name);
  return found == selectable.end() ? std::string_view() : found->path;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the other one keeps it
Record::Record(std::shared_ptr<const Kind> kind, const api::AnyObject& object)
    : Record(kind, object, kind->Store(object)) {}

Record::Record(std::shared_ptr<const Kind> kind, const api::AnyObject& object, std::string bytes)
    : kind_(std::move(kind)), bytes_(std::move(bytes)) {
  const meta::v1::ObjectMeta& metadata = kind_->Metadata(object);
  uid_ = metadata.uid;
  resource_version_ = metadata.resourceVersion;
  labels_ = metadata.labels;
  fields_.emplace_back("metadata.name", metadata.name);
  fields_.emplace_back("metadata.namespace", metadata.namespace_);
  for (const SelectableField& field : kind_->facts().selectable) {
    std::string text = kind_->FieldText(object, field.path);
    if (text.empty() && !field.otherwise.empty()) {
      text = kind_->FieldText(object, field.otherwise);
    }
    fields_.emplace_back(field.path, std::move(text));
  }
}

Result<RecordPtr> Record::Restore(std::shared_ptr<const Kind> kind, std::string bytes) {
  FLYBALL_TRY(const api::AnyObject object, kind->Restore(bytes));
  return RecordPtr(new Record(std::move(kind), object, std::move(bytes)));
}

std::string_view Record::Field(std::string_view path) const {
  for (const auto& [field, value] : fields_) {
    if (field == path) return value;
  }
  return {};
}

api::AnyObject Record::Decode() const {
  auto object = kind_->Restore(bytes_);
  // That it can be decoded was found out before it was stored (CheckStorable()), and when it was
  // read from a file (Restore()).
  FLYBALL_CHECK(object, object.error().Describe());
  return *std::move(object);
}

StatusOr<Selection> Selection::Parse(const Kind& kind, std::string_view labels,
                                     std::string_view fields) {
  Selection selection;
  auto by_labels = api::Selector::Parse(labels);
  if (!by_labels) return std::unexpected(BadRequest(by_labels.error().message()));
  selection.labels = *std::move(by_labels);
  auto by_fields = api::FieldSelector::Parse(fields);
  if (!by_fields) return std::unexpected(BadRequest(by_fields.error().message()));
  for (api::FieldRequirement requirement : by_fields->requirements()) {
    if (const std::string_view path = PathOf(kind, requirement.field); !path.empty()) {
      requirement.field = path;
      selection.fields.Add(std::move(requirement));
      continue;
    }
    return std::unexpected(BadRequest(
        kind.facts().selectable.empty()
            ? "\"" + requirement.field +
                  "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            : "field label not supported: " + requirement.field));
  }
  return selection;
}

bool Selection::Matches(const Record& record) const {
  return labels.Matches([&](const std::string& key) -> std::optional<std::string_view> {
    const std::string* const value = record.labels().find(key);
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
  }) && fields.Matches([&](const std::string& name) { return record.Field(name); });
}

}  // namespace flyball::sandbox
