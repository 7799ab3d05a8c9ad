#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

enum class Format : std::uint8_t { kJson, kYaml, kProtobuf };

/// "json", "yaml", "protobuf".
std::optional<Format> ParseFormat(std::string_view name);

/// Told by content: the protobuf magic, a brace, else YAML.
Format DetectFormat(std::string_view bytes);

/// An object whose kind was learned at run time. Owns it.
class AnyObject {
 public:
  explicit AnyObject(const TypeInfo& type) : type_(&type), object_(type.create(), type.destroy) {}

  const TypeInfo& type() const { return *type_; }
  void* get() { return object_.get(); }
  const void* get() const { return object_.get(); }
  /// The object as T, or null if it is of another kind.
  template <typename T>
  const T* As() const {
    return type_ == &T::kType ? static_cast<const T*>(get()) : nullptr;
  }

 private:
  const TypeInfo* type_;
  std::unique_ptr<void, void (*)(void*)> object_;
};

/// Reads an object of any kind in the schema, or among `custom`, a program's kinds from CRDs. The
/// bytes say which kind; one that neither has is kUnsupported.
Result<AnyObject> DecodeObject(std::string_view bytes, Format format,
                               std::span<const TypeInfo* const> custom = {});

/// Writes one. JSON is indented for people.
Result<std::string> EncodeObject(const AnyObject& object, Format format);

/// Paths of what an object brought along that the schema does not name and that `format` cannot
/// carry: unknown JSON members in protobuf, unknown protobuf fields in JSON and YAML.
std::vector<std::string> FieldsLostIn(const AnyObject& object, Format format);

}  // namespace flyball::api
