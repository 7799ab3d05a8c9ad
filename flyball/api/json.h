#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flyball/api/json_encode.h"
#include "flyball/api/json_sink.h"
#include "flyball/api/map.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// What the numbers of a document become.
enum class JsonNumbers : std::uint8_t {
  kExact,    ///< int64 where they are written as integers that fit, else double
  kFloat64,  ///< double, as Go reads them if nobody tells it otherwise: 2^53 + 1 becomes 2^53
};

/// A JSON document as a value, for what has no type here: objects of unknown kinds, patches,
/// differences. Members are in name order.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = Map<Json>;

  Json() = default;  ///< null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  static Result<Json> Parse(std::string_view text, JsonNumbers numbers = JsonNumbers::kExact);
  /// Compact text, as Go writes it: sorted keys, `<` and its like escaped.
  std::string ToString() const;
  void Send(JsonSink& sink) const;

  bool IsNull() const { return std::holds_alternative<std::monostate>(value_); }
  template <typename T>
  const T* If() const {
    return std::get_if<T>(&value_);
  }
  template <typename T>
  T* If() {
    return std::get_if<T>(&value_);
  }
  /// The member of an object; null if this is none or has none of that name.
  const Json* Find(std::string_view name) const {
    const Object* object = If<Object>();
    return object ? object->find(name) : nullptr;
  }

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Builds a Json from events.
class JsonTreeSink final : public JsonSink {
 public:
  explicit JsonTreeSink(JsonNumbers numbers = JsonNumbers::kExact) : numbers_(numbers) {}

  void BeginObject() override { Open(Json::Object()); }
  void Key(std::string_view name) override { frames_.back().key = name; }
  void EndObject() override { Close(); }
  void BeginArray() override { Open(Json::Array()); }
  void EndArray() override { Close(); }
  void String(std::string_view text) override { Add(text); }
  void Number(std::string_view text) override;
  void Bool(bool value) override { Add(value); }
  void Null() override { Add(Json()); }

  Json Take() { return std::move(root_); }

 private:
  struct Frame {
    Json value;
    std::string key;
  };
  void Open(Json value) { frames_.push_back({std::move(value), {}}); }
  void Close();
  void Add(Json value);

  const JsonNumbers numbers_;
  std::vector<Frame> frames_;
  Json root_;
};

/// A typed object as a tree.
Result<Json> ToJson(const void* object, const TypeInfo& type,
                    UnknownMembers unknown = UnknownMembers::kKept,
                    JsonNumbers numbers = JsonNumbers::kExact);

template <typename T>
Result<Json> ToJson(const T& object, UnknownMembers unknown = UnknownMembers::kKept,
                    JsonNumbers numbers = JsonNumbers::kExact) {
  return ToJson(&object, T::kType, unknown, numbers);
}

}  // namespace flyball::api
