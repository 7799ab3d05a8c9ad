/// Inputs that once went wrong, most of them found by yaml_fuzz.
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/json.h"
#include "flyball/api/yaml_reader.h"

namespace flyball::api {
namespace {

/// The JSON that a YAML text stands for, or the error.
std::string Read(std::string_view text) {
  JsonTreeSink tree;
  const auto read = ReadYaml(text, tree);
  return read ? tree.Take().ToString() : read.error().Describe();
}

// 0.5 was read as the octal number 5, and 0e3 as 3.
TEST(YamlRegression, FractionBelowOneIsNoOctalInteger) {
  EXPECT_EQ(Read("[0.5, -0.25, 0e3, 0.10, 017, 0o17, 0x1f, 0b11, 08]"),
            "[0.5,-0.25,0,0.1,15,15,31,3,8]");
}

}  // namespace
}  // namespace flyball::api
