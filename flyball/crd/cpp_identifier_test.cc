#include "flyball/crd/cpp_identifier.h"

#include "gtest/gtest.h"

namespace flyball::crd {
namespace {

TEST(CppIdentifier, LeavesIdentifiersAlone) {
  for (const char* name : {"spec", "matchLabels", "x_y", "A1"}) {
    EXPECT_EQ(MemberIdentifier(name), name);
  }
}

TEST(CppIdentifier, JoinsWordsAndAvoidsWhatIsTaken) {
  EXPECT_EQ(MemberIdentifier("x-kubernetes-list"), "xKubernetesList");
  EXPECT_EQ(MemberIdentifier("a.b/c d"), "aBCD");
  EXPECT_EQ(MemberIdentifier("$ref"), "ref");
  EXPECT_EQ(MemberIdentifier("4xx"), "_4xx");
  EXPECT_EQ(MemberIdentifier("__Reserved__name"), "Reserved_name");
  EXPECT_EQ(MemberIdentifier("operator"), "operator_");
  EXPECT_EQ(MemberIdentifier("errno"), "errno_");
  EXPECT_EQ(MemberIdentifier(""), "field");
  EXPECT_EQ(MemberIdentifier("日本"), "field");
  EXPECT_EQ(TypeIdentifier("not"), "Not");
  EXPECT_EQ(TypeIdentifier("9lives"), "_9lives");
  EXPECT_EQ(NamespaceIdentifier("cert-manager.io"), "cert_manager_io");
  EXPECT_EQ(NamespaceIdentifier("3scale.net"), "_3scale_net");
  EXPECT_EQ(NamespaceIdentifier("int"), "int_");
}

TEST(CppIdentifier, GivesTheSecondOfANameANumber) {
  NameSet names;
  EXPECT_EQ(names.Take("a"), "a");
  EXPECT_EQ(names.Take("a2"), "a2");
  EXPECT_EQ(names.Take("a"), "a3");
}

}  // namespace
}  // namespace flyball::crd
