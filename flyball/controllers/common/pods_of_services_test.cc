#include "flyball/controllers/common/pods_of_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <map>

#include "flyball/base/sanitizers.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::common {
namespace {

using api::ObjectKey;
using core::v1::Service;
using testing::ElementsAre;
using testing::IsEmpty;
using Labels = api::Map<std::string>;
using PodRef = PodsOfServices::Pod;

Service Selecting(const std::string& name, const Labels& labels) {
  Service service;
  service.metadata.namespace_ = "shop";
  service.metadata.name = name;
  service.spec.selector = labels;
  return service;
}

PodRef Labelled(const std::string& name, const Labels& labels, const std::string& version = "1") {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "shop";
  pod.metadata.name = name;
  pod.metadata.labels = labels;
  pod.metadata.resourceVersion = version;
  return ViewOf(pod);
}

class PodsOfServicesTest : public testing::Test {
 protected:
  std::vector<std::string> NamesOf(const std::string& service) const {
    std::vector<std::string> names;
    for (const PodRef& pod : pods_.Of({"shop", service})) {
      names.emplace_back(pod->metadata.name);
    }
    return names;
  }

  std::vector<PodRef> cached_;
  PodsOfServices pods_{[this](std::string_view, const api::Selector& selector) {
    std::vector<PodRef> selected = cached_;
    std::erase_if(selected,
                  [&](const PodRef& pod) { return !selector.Matches(pod->metadata.labels); });
    return selected;
  }};
  const ObjectKey web_{"shop", "web"};
  const ObjectKey all_{"shop", "all"};
};

TEST_F(PodsOfServicesTest, AServiceHasThoseThatWereThereBeforeItInTheOrderOfTheirNames) {
  cached_ = {Labelled("b", {{"app", "web"}}), Labelled("c", {{"app", "db"}}),
             Labelled("a", {{"app", "web"}})};
  pods_.Put(Selecting("web", {{"app", "web"}}));
  EXPECT_THAT(NamesOf("web"), ElementsAre("a", "b"));
  EXPECT_THAT(NamesOf("unknown"), IsEmpty());
}

TEST_F(PodsOfServicesTest, PodsComeChangeAndGo) {
  pods_.Put(Selecting("web", {{"app", "web"}}));
  pods_.Put(Selecting("all", {{"tier", "front"}}));
  const PodRef b = Labelled("b", {{"app", "web"}, {"tier", "front"}});
  EXPECT_THAT(pods_.Added(b), ElementsAre(all_, web_));
  EXPECT_THAT(pods_.Added(Labelled("a", {{"app", "web"}})), ElementsAre(web_));
  EXPECT_THAT(NamesOf("web"), ElementsAre("a", "b"));

  // It leaves one of them; the other does not mind, but has it as it is now.
  const PodRef left = Labelled("b", {{"tier", "front"}}, "2");
  EXPECT_THAT(pods_.Updated(b, left), ElementsAre(web_));
  EXPECT_THAT(NamesOf("web"), ElementsAre("a"));
  EXPECT_EQ(pods_.Of(all_), std::vector{left});

  EXPECT_THAT(pods_.Deleted(left), ElementsAre(all_));
  EXPECT_THAT(NamesOf("all"), IsEmpty());
}

TEST_F(PodsOfServicesTest, AServiceMaySelectOtherwise) {
  cached_ = {Labelled("a", {{"app", "web"}}), Labelled("b", {{"app", "db"}})};
  pods_.Put(Selecting("web", {{"app", "web"}}));
  pods_.Put(Selecting("web", {{"app", "db"}}));
  EXPECT_THAT(NamesOf("web"), ElementsAre("b"));
  EXPECT_THAT(pods_.Deleted(cached_[0]), IsEmpty());
  pods_.Put(Selecting("web", {}));
  EXPECT_THAT(NamesOf("web"), IsEmpty());
  EXPECT_THAT(pods_.Added(cached_[1]), IsEmpty());
}

TEST_F(PodsOfServicesTest, AServiceThatIsGoneHasNone) {
  cached_ = {Labelled("a", {{"app", "web"}})};
  pods_.Put(Selecting("web", {{"app", "web"}}));
  pods_.Remove(web_);
  EXPECT_THAT(NamesOf("web"), IsEmpty());
  EXPECT_THAT(pods_.Added(cached_[0]), IsEmpty());
}

TEST_F(PodsOfServicesTest, LooksAtTheNamespaceOnlyWhenTheSelectorChanges) {
  pods_.Put(Selecting("web", {{"app", "web"}}));
  cached_ = {Labelled("a", {{"app", "web"}})};
  Service service = Selecting("web", {{"app", "web"}});
  service.metadata.annotations = {{"another", "thing"}};
  pods_.Put(service);
  EXPECT_THAT(NamesOf("web"), IsEmpty());
}

#ifndef FLYBALL_SANITIZED
/// Thousands of services, each with a few pods of the thousands of its namespace.
TEST_F(PodsOfServicesTest, AServiceCostsNothingForPodsThatItDoesNotSelect) {
  constexpr int kServices = 100;
  cached_.assign(10'000, Labelled("other", {{"app", "db"}}));
  const auto in_use = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  const std::size_t before = in_use();
  for (int i = 0; i < kServices; ++i) {
    pods_.Put(Selecting("web-" + std::to_string(i), {{"app", "web"}}));
  }
  const std::size_t each = (in_use() - before) / kServices;
  EXPECT_LE(each, 4'096);
  EXPECT_GE(each, 128) << "it was not measured";
}
#endif

}  // namespace
}  // namespace flyball::controllers::common
