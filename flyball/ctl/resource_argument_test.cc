#include "flyball/ctl/resource_argument.h"

#include "flyball/ctl/error_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using testing::ElementsAre;

client::ServedResource Serve(std::string group, std::string version, std::string plural,
                             std::string kind, std::vector<std::string> short_names = {},
                             std::vector<std::string> categories = {}, bool preferred = true) {
  client::ServedResource served;
  served.resource = {std::move(group), std::move(version), std::move(plural), std::move(kind)};
  served.singular = InLowerCase(served.resource.kind);
  served.short_names = std::move(short_names);
  served.categories = std::move(categories);
  served.preferred = preferred;
  return served;
}

class ResourceArgument : public testing::Test {
 protected:
  /// What the words mean, as "apps/v1 deployments web".
  std::vector<std::string> Parse(const std::vector<std::string>& words) const {
    const auto targets = ParseTargets(served_, words);
    if (!targets) return {ErrorText(std::vector{targets.error()})};
    std::vector<std::string> texts;
    for (const Target& target : *targets) {
      const client::Resource& resource = target.resource->resource;
      texts.push_back(resource.ApiVersion() + " " + resource.plural);
      if (!target.name.empty()) texts.back() += " " + target.name;
    }
    return texts;
  }

  client::Served served_{
      .resources = {Serve("", "v1", "pods", "Pod", {"po"}, {"all"}),
                    Serve("", "v1", "services", "Service", {"svc"}, {"all"}),
                    Serve("", "v1", "events", "Event", {"ev"}),
                    Serve("apps", "v1", "deployments", "Deployment", {"deploy"}),
                    Serve("events.k8s.io", "v1", "events", "Event", {"ev"}),
                    Serve("example.com", "v2", "widgets", "Widget", {"wd"}),
                    Serve("example.com", "v1", "widgets", "Widget", {"wd"}, {}, false)},
      .unknown = {}};
};

TEST_F(ResourceArgument, AResourceHasManyNames) {
  for (const char* word : {"pods", "pod", "po", "Pod", "PODS"}) {
    EXPECT_THAT(Parse({word}), ElementsAre("v1 pods")) << word;
  }
  for (const char* word :
       {"widgets.example.com", "widget.example.com", "wd", "Widget.v2.example.com"}) {
    EXPECT_THAT(Parse({word}), ElementsAre("example.com/v2 widgets")) << word;
  }
  EXPECT_THAT(Parse({"widgets.v1.example.com"}), ElementsAre("example.com/v1 widgets"));
}

TEST_F(ResourceArgument, TheFirstGroupCountsUnlessAnotherIsNamed) {
  EXPECT_THAT(Parse({"events"}), ElementsAre("v1 events"));
  EXPECT_THAT(Parse({"ev.events.k8s.io"}), ElementsAre("events.k8s.io/v1 events"));
}

TEST_F(ResourceArgument, NamesFollowATypeOrASlash) {
  EXPECT_THAT(Parse({"pods", "web-0", "web-1"}), ElementsAre("v1 pods web-0", "v1 pods web-1"));
  EXPECT_THAT(Parse({"deploy/web", "po/web-0"}),
              ElementsAre("apps/v1 deployments web", "v1 pods web-0"));
  EXPECT_THAT(Parse({"po,svc", "web"}), ElementsAre("v1 pods web", "v1 services web"));
}

TEST_F(ResourceArgument, TypesAreListedOnceEach) {
  EXPECT_THAT(Parse({"svc,pods,po"}), ElementsAre("v1 services", "v1 pods"));
  EXPECT_THAT(Parse({"all"}), ElementsAre("v1 pods", "v1 services"));
  EXPECT_THAT(Parse({}), ElementsAre());
}

TEST_F(ResourceArgument, WhatMakesNoSenseIsSaidInKubectlsWords) {
  EXPECT_THAT(Parse({"pots"}),
              ElementsAre("error: the server doesn't have a resource type \"pots\"\n"));
  EXPECT_THAT(Parse({"pods.example.com"}),
              ElementsAre("error: the server doesn't have a resource type \"pods\" in group "
                          "\"example.com\"\n"));
  EXPECT_THAT(Parse({"po/a/b"}), ElementsAre("error: arguments in resource/name form may not have "
                                             "more than one slash\n"));
  EXPECT_THAT(Parse({"po/"}), ElementsAre("error: arguments in resource/name form must have a "
                                          "single resource and name\n"));
  EXPECT_THAT(Parse({"all", "web"}), ElementsAre("error: you must specify only one resource\n"));
  EXPECT_THAT(
      Parse({"pods", "po/web"}),
      ElementsAre("error: there is no need to specify a resource type as a separate argument "
                  "when passing arguments in resource/name form (e.g. 'flyball get "
                  "resource/<resource_name>' instead of 'flyball get resource "
                  "resource/<resource_name>'\n"));
}

TEST_F(ResourceArgument, AManifestNamesItsKind) {
  const auto found = FindKind(served_, "example.com/v1", "Widget");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, &served_.resources.back());
  const auto missing = FindKind(served_, "apps/v1", "Widget");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), UsageError("no matches for kind \"Widget\" in version \"apps/v1\""));
}

TEST_F(ResourceArgument, KindsAreWrittenWithTheirGroup) {
  EXPECT_EQ(KindText(served_.resources[0].resource), "pod");
  EXPECT_EQ(KindText(served_.resources[3].resource), "deployment.apps");
}

}  // namespace
}  // namespace flyball::ctl
