#include "flyball/api/json.h"

#include <charconv>
#include <optional>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/float64.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/json_writer.h"

namespace flyball::api {

Result<Json> Json::Parse(std::string_view text, JsonNumbers numbers) {
  JsonTreeSink tree(numbers);
  FLYBALL_TRY(ReadJson(text, tree));
  return tree.Take();
}

std::string Json::ToString() const {
  std::string text;
  JsonWriter writer(text);
  Send(writer);
  return text;
}

void Json::Send(JsonSink& sink) const {
  if (const bool* flag = If<bool>()) return sink.Bool(*flag);
  if (const std::int64_t* number = If<std::int64_t>()) return sink.Int(*number);
  if (const double* number = If<double>()) return sink.Double(*number);
  if (const std::string* text = If<std::string>()) return sink.String(*text);
  if (const Array* array = If<Array>()) {
    sink.BeginArray();
    for (const Json& element : *array) element.Send(sink);
    return sink.EndArray();
  }
  if (const Object* object = If<Object>()) {
    sink.BeginObject();
    for (const auto& [name, value] : *object) {
      sink.Key(name);
      value.Send(sink);
    }
    return sink.EndObject();
  }
  sink.Null();
}

void JsonTreeSink::Number(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto parsed = std::from_chars(text.data(), end, whole);
      numbers_ == JsonNumbers::kExact && parsed.ec == std::errc() && parsed.ptr == end) {
    return Add(whole);
  }
  const std::optional<double> number = ParseFloat64(text);
  if (!number) throw DecodeFailure{std::string(text) + " is out of the range of float64"};
  Add(*number);
}

void JsonTreeSink::Add(Json value) {
  if (frames_.empty()) {
    root_ = std::move(value);
    return;
  }
  Frame& top = frames_.back();
  if (auto* array = top.value.If<Json::Array>()) {
    array->push_back(std::move(value));
  } else {
    top.value.If<Json::Object>()->Append(top.key) = std::move(value);
  }
}

void JsonTreeSink::Close() {
  Json value = std::move(frames_.back().value);
  if (auto* object = value.If<Json::Object>()) object->Sort();
  frames_.pop_back();
  Add(std::move(value));
}

Result<Json> ToJson(const void* object, const TypeInfo& type, UnknownMembers unknown,
                    JsonNumbers numbers) {
  JsonTreeSink tree(numbers);
  FLYBALL_TRY(SendObject(object, type, tree, unknown));
  return tree.Take();
}

}  // namespace flyball::api
