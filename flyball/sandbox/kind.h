#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object.h"
#include "flyball/api/type_info.h"
#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/kind_facts.h"

namespace flyball::sandbox {

class CustomSchema;

/// An object's kind as the server handles it: the table of its type, where its parts are, how it is
/// stored, and the facts in which it differs from others.
///
/// Custom kinds have no table: their type is PartialObjectMetadata, and what else they have stays
/// in unknown_fields.
class Kind {
 public:
  explicit Kind(const api::TypeInfo& type);
  /// A custom kind. Fields that it can be selected by are JSON paths: ".spec.color".
  struct Custom {
    std::string group, version, name;
    std::shared_ptr<const CustomSchema> schema = {};  ///< null: anything goes
    std::vector<std::string> selectable = {};
    bool status_apart = true;  ///< it has the subresource
  };
  explicit Kind(Custom custom);
  Kind(const Kind&) = delete;
  Kind& operator=(const Kind&) = delete;

  const std::string& group() const { return group_; }
  const std::string& version() const { return version_; }
  const std::string& name() const { return name_; }
  const std::string& api_version() const { return api_version_; }
  const api::TypeInfo& type() const { return *type_; }
  bool custom() const { return custom_; }
  const KindFacts& facts() const { return facts_; }
  /// Of a custom kind; null if there is none.
  const CustomSchema* schema() const { return schema_.get(); }

  meta::v1::ObjectMeta& Metadata(api::AnyObject& object) const;
  const meta::v1::ObjectMeta& Metadata(const api::AnyObject& object) const;

  /// Makes `to`'s status what `from`'s is.
  void CopyStatus(api::AnyObject& to, const api::AnyObject& from) const;
  /// Whether they differ in anything but metadata and status.
  bool ContentDiffers(const api::AnyObject& a, const api::AnyObject& b) const;
  /// The text of a field: "status.phase".
  std::string FieldText(const api::AnyObject& object, std::string_view path) const;

  /// The form in storage: a protobuf message, or JSON for custom kinds.
  std::string Store(const api::AnyObject& object) const;
  Result<api::AnyObject> Restore(std::string_view bytes) const;

  /// As a tree, with kind and apiVersion; and from one.
  Result<api::Json> ToJson(const api::AnyObject& object) const;
  Result<api::AnyObject> FromJson(const api::Json& json) const;
  /// Has it say its kind, as it must in JSON outside of lists.
  void Stamp(api::AnyObject& object) const;

 private:
  const api::TypeInfo* type_;
  std::string group_;
  std::string version_;
  std::string name_;
  std::string api_version_;
  bool custom_;
  KindFacts facts_;
  std::shared_ptr<const CustomSchema> schema_;
  bool status_apart_ = true;
  std::vector<std::string> selectable_paths_;  // what `selectable_` points to
  std::vector<SelectableField> selectable_;    // of a custom kind
  const api::Field* metadata_ = nullptr;
  const api::Field* status_ = nullptr;
};

/// A member of a struct by its JSON name; null if there is none.
const api::Field* FindField(const api::TypeInfo& type, std::string_view name);

}  // namespace flyball::sandbox
