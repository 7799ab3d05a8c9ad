/// Input: two bytes that pick a kind, then its protobuf message.
#include "flyball/api/internal/fuzz_property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  std::string_view input = FuzzInput(data, size);
  const TypeInfo& type = TakeKind(input);
  AnyObject object(type);
  if (const auto decoded = DecodeProtobuf(input, type, object.get()); !decoded) {
    CheckRefusal(decoded.error());
    return 0;
  }
  CheckProtobufRoundTrip(object);
  CheckJsonRoundTrip(object);
  for (const std::string& path : FieldsLostIn(object, Format::kJson)) {
    FLYBALL_CHECK(!path.empty(), "a lost field without a name");
  }
  return 0;
}
