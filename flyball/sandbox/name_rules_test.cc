#include "flyball/sandbox/name_rules.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(NameRules, PassWhatIsInOrder) {
  EXPECT_THAT(LabelNameProblems("my-name"), IsEmpty());
  EXPECT_THAT(SubdomainProblems("my.name"), IsEmpty());
  EXPECT_THAT(QualifiedNameProblems("example.com/My_name"), IsEmpty());
  EXPECT_THAT(LabelValueProblems(""), IsEmpty());
}

TEST(NameRules, NameEverythingThatIsWrong) {
  EXPECT_THAT(LabelNameProblems("my.name"), ElementsAre("must not contain dots"));
  EXPECT_THAT(LabelNameProblems(std::string(64, 'a')),
              ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(LabelNameProblems(std::string(64, 'A')),
              ElementsAre("must be no more than 63 characters",
                          StartsWith("a lowercase RFC 1123 label must consist of")));
  EXPECT_THAT(SubdomainProblems("a..b"),
              ElementsAre(StartsWith("a lowercase RFC 1123 subdomain must consist of")));
  EXPECT_THAT(QualifiedNameProblems("/x"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(QualifiedNameProblems("x/"),
              ElementsAre("name part must be non-empty", StartsWith("name part must consist of")));
  EXPECT_THAT(LabelValueProblems("-"), ElementsAre(StartsWith("a valid label must be")));
}

}  // namespace
}  // namespace flyball::sandbox
