#include "flyball/api/json_reader.h"

#include <boost/json/basic_parser_impl.hpp>
#include <string>

#include "flyball/api/internal/decode_path.h"

namespace flyball::api {
namespace {

namespace json = boost::json;

/// Boost's parser hands strings and numbers over in parts; this puts them together.
struct Handler {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  explicit Handler(JsonSink& s) : sink(s) {}

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    sink.BeginObject();
    return true;
  }
  bool on_object_end(std::size_t, json::error_code&) {
    sink.EndObject();
    return true;
  }
  bool on_array_begin(json::error_code&) {
    sink.BeginArray();
    return true;
  }
  bool on_array_end(std::size_t, json::error_code&) {
    sink.EndArray();
    return true;
  }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) { return Part(s); }
  bool on_key(json::string_view s, std::size_t, json::error_code&) {
    sink.Key(Whole(s));
    parts.clear();
    return true;
  }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) { return Part(s); }
  bool on_string(json::string_view s, std::size_t, json::error_code&) {
    sink.String(Whole(s));
    parts.clear();
    return true;
  }
  bool on_number_part(json::string_view s, json::error_code&) { return Part(s); }
  bool on_int64(std::int64_t, json::string_view s, json::error_code&) { return OnNumber(s); }
  bool on_uint64(std::uint64_t, json::string_view s, json::error_code&) { return OnNumber(s); }
  bool on_double(double, json::string_view s, json::error_code&) { return OnNumber(s); }
  bool on_bool(bool value, json::error_code&) {
    sink.Bool(value);
    return true;
  }
  bool on_null(json::error_code&) {
    sink.Null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  bool Part(json::string_view s) {
    parts.append(s.data(), s.size());
    return true;
  }
  std::string_view Whole(json::string_view s) {
    if (parts.empty()) return {s.data(), s.size()};
    parts.append(s.data(), s.size());
    return parts;
  }
  bool OnNumber(json::string_view s) {
    sink.Number(Whole(s));
    parts.clear();
    return true;
  }

  JsonSink& sink;
  std::string parts;
};

}  // namespace

void ReadJsonOrThrow(std::string_view text, JsonSink& sink) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<Handler> parser(options, sink);
  json::error_code error;
  std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = json::error::extra_data;
  if (error) {
    throw DecodeFailure{"JSON, at byte " + std::to_string(used) + ": " + error.message()};
  }
}

Result<> ReadJson(std::string_view text, JsonSink& sink) {
  try {
    ReadJsonOrThrow(text, sink);
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, failure.message);
  }
}

}  // namespace flyball::api
