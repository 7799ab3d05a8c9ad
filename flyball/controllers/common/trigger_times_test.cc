#include "flyball/controllers/common/trigger_times.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::common {
namespace {

using api::Time;
using core::v1::Service;

Service CreatedAt(std::int64_t seconds) {
  Service service;
  service.metadata.namespace_ = "shop";
  service.metadata.name = "web";
  service.metadata.creationTimestamp = Time::FromUnix(seconds);
  return service;
}

/// Ready, or not any more, since then.
cache::Ref<views::Pod> PodSince(const std::string& name, std::int64_t seconds,
                                const std::string& ready = "True") {
  core::v1::Pod pod;
  pod.metadata.name = name;
  pod.status.conditions.push_back(ReadyCondition(Time::FromUnix(seconds), ready));
  return ViewOf(pod);
}

TEST(TriggerTimes, AreTheServicesOwnAtFirst) {
  TriggerTimes times;
  EXPECT_EQ(times.Next(CreatedAt(100), {PodSince("a", 50), PodSince("b", 200)}),
            Time::FromUnix(100));
}

TEST(TriggerTimes, AreTheEarliestOfWhatIsNew) {
  TriggerTimes times;
  (void)times.Next(CreatedAt(100), {PodSince("a", 110), PodSince("b", 120), PodSince("c", 130)});
  EXPECT_EQ(times.Next(CreatedAt(100), {PodSince("a", 110), PodSince("b", 220, "False"),
                                        PodSince("c", 210), PodSince("d", 215)}),
            Time::FromUnix(210));
  // All of that is known now.
  EXPECT_EQ(times.Next(CreatedAt(100), {PodSince("a", 110), PodSince("b", 220, "False"),
                                        PodSince("c", 210), PodSince("d", 215)}),
            Time());
  // One that comes back is new, however old; a time that goes back is not.
  EXPECT_EQ(times.Next(CreatedAt(100), {PodSince("b", 200)}), Time());
  EXPECT_EQ(times.Next(CreatedAt(100), {PodSince("a", 110), PodSince("b", 200)}),
            Time::FromUnix(110));
}

TEST(TriggerTimes, OfAServiceThatWasMadeAgainAreNew) {
  TriggerTimes times;
  (void)times.Next(CreatedAt(100), {});
  EXPECT_EQ(times.Next(CreatedAt(300), {PodSince("a", 310)}), Time::FromUnix(300));
  EXPECT_EQ(times.Next(CreatedAt(300), {PodSince("a", 310)}), Time());
}

TEST(TriggerTimes, OfPodsThatDoNotSayWhenAreNone) {
  TriggerTimes times;
  (void)times.Next(CreatedAt(100), {});
  EXPECT_EQ(times.Next(CreatedAt(100), {ViewOf(core::v1::Pod())}), Time());
}

TEST(TriggerTimes, AreForgottenWithTheService) {
  TriggerTimes times;
  (void)times.Next(CreatedAt(100), {PodSince("a", 110)});
  times.Forget({"shop", "web"});
  EXPECT_EQ(times.Next(CreatedAt(100), {PodSince("a", 110)}), Time::FromUnix(100));
}

}  // namespace
}  // namespace flyball::controllers::common
