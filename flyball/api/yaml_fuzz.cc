/// Input: YAML text. JSON text that is given instead is written as YAML.
// libFuzzer: -max_len=1024
#include "flyball/api/internal/fuzz_property.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/api/yaml_writer.h"

namespace flyball::api {
namespace {

void CheckTree(const Json& tree) {
  if (tree.IsNull()) return;  // as a document of its own it is none
  const std::string text = ToYaml(tree);
  JsonTreeSink again;
  const auto read = ReadYaml(text, again);
  FLYBALL_CHECK(read, read.error().Describe() + ":\n" + text);
  FLYBALL_CHECK(SameDocument(tree, again.Take()), "a tree changes as YAML:\n" + text);
}

void CheckObjectText(std::string_view text) {
  const auto object = DecodeObject(text, Format::kYaml);
  if (!object) return CheckRefusal(object.error());
  const auto written = EncodeObject(*object, Format::kYaml);
  FLYBALL_CHECK(written, written.error().Describe());
  const auto again = DecodeObject(*written, Format::kYaml);
  FLYBALL_CHECK(again, again.error().Describe());
  CheckJsonRoundTrip(*again);
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  const std::string_view text = FuzzInput(data, size);
  if (const auto json = Json::Parse(text)) CheckTree(*json);
  JsonTreeSink sink;
  if (const auto read = ReadYaml(text, sink); !read) {
    CheckRefusal(read.error());
    return 0;
  }
  const Json tree = sink.Take();
  CheckTree(tree);
  if (tree.Find("kind")) CheckObjectText(text);
  return 0;
}
