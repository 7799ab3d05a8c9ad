/// Input: the text of a set of fields.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flyball/base/check.h"
#include "flyball/sandbox/apply/fields_v1.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::sandbox::apply;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = ReadFieldsV1(text);
  if (!read) {
    FLYBALL_CHECK(!read.error().message().empty(), "a refusal without a reason");
    return 0;
  }
  const std::string written = WriteFieldsV1(read->fields);
  FLYBALL_CHECK(!read->canonical || written == text, written);
  const auto again = ReadFieldsV1(written);
  FLYBALL_CHECK(again.has_value(), written);
  FLYBALL_CHECK(again->fields == read->fields, written);
  return 0;
}
