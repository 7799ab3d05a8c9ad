/// Input: two bytes that pick a kind, then JSON text, which is read as that kind and as a tree.
#include "flyball/api/internal/fuzz_property.h"

namespace flyball::api {
namespace {

void CheckTree(const Json& tree) {
  const std::string once = tree.ToString();
  const auto again = Json::Parse(once);
  FLYBALL_CHECK(again, again.error().Describe());
  FLYBALL_CHECK(SameDocument(tree, *again), "a tree changes when it is written and read");
  // 5.0 prints as 5 and is an integer from then on, as upstream.
  const std::string twice = again->ToString();
  const auto third = Json::Parse(twice);
  FLYBALL_CHECK(third && *third == *again && third->ToString() == twice,
                "a tree changes when it is written and read again");
}

void CheckKind(std::string_view text, const TypeInfo& type, const Result<Json>& tree) {
  AnyObject object(type);
  if (const auto decoded = DecodeJson(text, type, object.get()); !decoded) {
    return CheckRefusal(decoded.error());
  }
  const auto written = CheckJsonRoundTrip(object);
  FLYBALL_CHECK(written, "what JSON brought has a JSON form");
  CheckProtobufRoundTrip(object);
  if (!tree) return;
  const auto out = Json::Parse(*written);
  FLYBALL_CHECK(out, out.error().Describe());
  CheckUnknownMembersKept(*tree, *out, type);
  const auto direct = ToJson(object.get(), type);
  FLYBALL_CHECK(direct && SameDocument(*direct, *out), "ToJson and EncodeJson differ");
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  std::string_view input = FuzzInput(data, size);
  const TypeInfo& type = TakeKind(input);
  const auto tree = Json::Parse(input);
  if (tree) {
    CheckTree(*tree);
  } else {
    CheckRefusal(tree.error());
  }
  CheckKind(input, type, tree);
  return 0;
}
