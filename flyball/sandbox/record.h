#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/field_selector.h"
#include "flyball/api/label_selector.h"
#include "flyball/sandbox/kind.h"
#include "flyball/sandbox/storage/entry.h"

namespace flyball::sandbox {

/// An object as it is stored: encoded, with what selectors ask for beside it, so that neither
/// watches nor lists nor answers in protobuf ever decode it.
class Record final : public StoredObject {
 public:
  Record(std::shared_ptr<const Kind> kind, const api::AnyObject& object);
  /// From what was stored before.
  static Result<std::shared_ptr<const Record>> Restore(std::shared_ptr<const Kind> kind,
                                                       std::string bytes);

  std::string_view bytes() const override { return bytes_; }
  const Kind& kind() const { return *kind_; }
  const std::shared_ptr<const Kind>& kind_ptr() const { return kind_; }
  const std::string& uid() const { return uid_; }
  const std::string& resource_version() const { return resource_version_; }
  const api::Map<std::string>& labels() const { return labels_; }
  /// A field that it can be selected by, by its path.
  std::string_view Field(std::string_view path) const;

  api::AnyObject Decode() const;

 private:
  Record(std::shared_ptr<const Kind> kind, const api::AnyObject& object, std::string bytes);

  const std::shared_ptr<const Kind> kind_;
  const std::string bytes_;
  std::string uid_;
  std::string resource_version_;
  api::Map<std::string> labels_;
  std::vector<std::pair<std::string_view, std::string>> fields_;  // those that are selectable
};
using RecordPtr = std::shared_ptr<const Record>;

/// What is in a storage's entries and changes.
inline RecordPtr RecordOf(const StoredPtr& stored) {
  return std::static_pointer_cast<const Record>(stored);
}

/// Which objects of a collection a request is about.
struct Selection {
  api::Selector labels;
  api::FieldSelector fields;  ///< by their paths in what is stored

  /// Refuses what does not parse, and fields that the kind cannot be selected by.
  static StatusOr<Selection> Parse(const Kind& kind, std::string_view labels,
                                   std::string_view fields);
  bool Matches(const Record& record) const;
  bool Everything() const { return labels.SelectsEverything() && fields.SelectsEverything(); }
};

}  // namespace flyball::sandbox
