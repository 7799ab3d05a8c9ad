#include "flyball/api/yaml_documents.h"

#include <string>

#include "gmock/gmock.h"

namespace flyball::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(YamlDocuments, AreTheTextsBetweenSeparators) {
  EXPECT_THAT(YamlDocumentsIn("a: 1\n---\nb: 1\n"),
              ElementsAre(YamlDocument{1, "a: 1\n"}, YamlDocument{2, "b: 1\n"}));
  EXPECT_THAT(YamlDocumentsIn("a: 1\r\n---\r\nb: 1"),
              ElementsAre(YamlDocument{1, "a: 1\r\n"}, YamlDocument{2, "b: 1"}));
}

TEST(YamlDocuments, ThatSayNothingCountButAreLeftOut) {
  EXPECT_THAT(YamlDocumentsIn(""), IsEmpty());
  EXPECT_THAT(YamlDocumentsIn("---\n \n# nothing\n---"), IsEmpty());
  EXPECT_THAT(YamlDocumentsIn("# mine\n---\n--- # more\n\nc: ---\n---\n"),
              ElementsAre(YamlDocument{2, "\nc: ---\n"}));
}

TEST(YamlDocuments, MayBeginOnTheSeparatorsLine) {
  EXPECT_THAT(YamlDocumentsIn("--- {a: 1}\n--- b"),
              ElementsAre(YamlDocument{1, " {a: 1}\n"}, YamlDocument{2, " b"}));
}

TEST(YamlDocuments, ArePartedByNothingElse) {
  const std::string text = "----\n --- \n---a\n";
  EXPECT_THAT(YamlDocumentsIn(text), ElementsAre(YamlDocument{1, text}));
  EXPECT_THAT(YamlDocumentsIn("{\"a\": 1}"), ElementsAre(YamlDocument{1, "{\"a\": 1}"}));
}

}  // namespace
}  // namespace flyball::api
