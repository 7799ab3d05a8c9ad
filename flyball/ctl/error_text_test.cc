#include "flyball/ctl/error_text.h"

#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

std::string TextOf(const Errors& errors) { return ErrorText(errors); }

TEST(ErrorText, NamesTheServersReason) {
  EXPECT_EQ(TextOf({Error(ErrorCode::kNotFound, "pods \"x\" not found")}),
            "Error from server (NotFound): pods \"x\" not found\n");
  EXPECT_EQ(TextOf({Error(ErrorCode::kUnauthorized, "Unauthorized")}),
            "error: You must be logged in to the server (Unauthorized)\n");
}

TEST(ErrorText, WhatIsNotTheServersIsAnErrorOfOurs) {
  EXPECT_EQ(TextOf({UsageError("the server doesn't have a resource type \"pot\"")}),
            "error: the server doesn't have a resource type \"pot\"\n");
  EXPECT_EQ(TextOf({UsageError("error: said already")}), "error: said already\n");
  EXPECT_EQ(TextOf({Error(ErrorCode::kIo, "Connection refused")}),
            "Unable to connect to the server: Connection refused\n");
}

TEST(ErrorText, SeveralAreALineEach) {
  EXPECT_EQ(TextOf({Error(ErrorCode::kNotFound, "pods \"x\" not found"), UsageError("no")}),
            "Error from server (NotFound): pods \"x\" not found\n"
            "no\n");
}

TEST(ErrorText, WhatIsInvalidIsToldByItsCauses) {
  Error error(ErrorCode::kInvalid, "Deployment.apps \"web\" is invalid: [...]");
  EXPECT_EQ(TextOf({error}), "The Deployment \"web\" is invalid\n");
  error.set_detail({.causes = {{"FieldValueInvalid", "spec.replicas", "must be positive"}}});
  EXPECT_EQ(TextOf({error}),
            "The Deployment \"web\" is invalid: spec.replicas: must be positive\n");
  const ErrorCause first{"FieldValueInvalid", "spec.replicas", "must be positive"};
  error.set_detail({.causes = {first, {"FieldValueRequired", "spec.selector", "Required"}, first}});
  EXPECT_EQ(TextOf({error}),
            "The Deployment \"web\" is invalid: \n"
            "* spec.replicas: must be positive\n"
            "* spec.selector: Required\n");
  EXPECT_EQ(TextOf({WithSource(error, "creating", "web.yaml")}), TextOf({error}));
}

TEST(ErrorText, ARequestThatNamesNothingIsInvalidAsAWhole) {
  EXPECT_EQ(TextOf({Error(ErrorCode::kInvalid, "the body is empty")}),
            "The request is invalid: the body is empty\n");
}

TEST(ErrorText, TheFileStandsBeforeTheMessage) {
  const Error forbidden(ErrorCode::kForbidden, "no");
  EXPECT_EQ(TextOf({WithSource(forbidden, "creating", "web.yaml")}),
            "Error from server (Forbidden): error when creating \"web.yaml\": no\n");
  EXPECT_EQ(WithSource(forbidden, "creating", ""), forbidden);
}

}  // namespace
}  // namespace flyball::ctl
