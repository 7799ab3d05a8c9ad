#include "flyball/runtime/lease_record.h"

#include <cstdint>
#include <limits>

#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{std::chrono::sys_days{std::chrono::year(2026) / 5 / 4} + 3h + 1234567us};

Lease FromJson(std::string_view json) { return *api::DecodeJson<Lease>(json); }
std::string ToJson(const Lease& lease) { return *api::EncodeJson(lease); }

const Lease& Held() {
  static const Lease lease = FromJson(R"({
    "kind":"Lease","apiVersion":"coordination.k8s.io/v1",
    "metadata":{"name":"shop","namespace":"default","resourceVersion":"7","labels":{"a":"b"}},
    "spec":{"holderIdentity":"old","leaseDurationSeconds":30,
      "acquireTime":"2026-05-01T00:00:00.000001Z","renewTime":"2026-05-02T00:00:00.000002Z",
      "leaseTransitions":4,"strategy":"OldestEmulationVersion","preferredHolder":"third",
      "fromTheFuture":{"x":1}}})");
  return lease;
}

std::string Spec(const std::string& changing) {
  return R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
         R"("metadata":{"name":"shop","namespace":"default","resourceVersion":"7",)"
         R"("labels":{"a":"b"}},"spec":{)" +
         changing +
         R"(,"strategy":"OldestEmulationVersion","preferredHolder":"third",)"
         R"("fromTheFuture":{"x":1}}})";
}

TEST(LeaseRecord, ANewLeaseHasNoTransitions) {
  EXPECT_EQ(
      ToJson(NewLease({"default", "shop"}, "me", {}, kNow)),
      R"({"metadata":{"name":"shop","namespace":"default"},)"
      R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,)"
      R"("acquireTime":"2026-05-04T03:00:01.234567Z","renewTime":"2026-05-04T03:00:01.234567Z",)"
      R"("leaseTransitions":0}})");
}

TEST(LeaseRecord, AcquiringCountsATransitionAndKeepsWhatItDoesNotKnow) {
  EXPECT_EQ(ToJson(Acquired(Held(), "me", {}, kNow)),
            ToJson(FromJson(Spec(R"("holderIdentity":"me","leaseDurationSeconds":15,)"
                                 R"("acquireTime":"2026-05-04T03:00:01.234567Z",)"
                                 R"("renewTime":"2026-05-04T03:00:01.234567Z",)"
                                 R"("leaseTransitions":5)"))));
}

TEST(LeaseRecord, TransitionsWrapAsInGo) {
  Lease lease = Held();
  lease.spec.leaseTransitions = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(Acquired(lease, "me", {}, kNow).spec.leaseTransitions,
            std::numeric_limits<std::int32_t>::min());
}

TEST(LeaseRecord, RenewingChangesTheTimeOfRenewalOnly) {
  EXPECT_EQ(ToJson(Renewed(Held(), {.duration = 30s}, kNow)),
            ToJson(FromJson(Spec(R"("holderIdentity":"old","leaseDurationSeconds":30,)"
                                 R"("acquireTime":"2026-05-01T00:00:00.000001Z",)"
                                 R"("renewTime":"2026-05-04T03:00:01.234567Z",)"
                                 R"("leaseTransitions":4)"))));
}

TEST(LeaseRecord, AReleasedLeaseIsNobodysForASecond) {
  EXPECT_EQ(ToJson(Released(Held(), kNow)),
            ToJson(FromJson(Spec(R"("holderIdentity":"","leaseDurationSeconds":1,)"
                                 R"("acquireTime":"2026-05-04T03:00:01.234567Z",)"
                                 R"("renewTime":"2026-05-04T03:00:01.234567Z",)"
                                 R"("leaseTransitions":4)"))));
}

TEST(LeaseRecord, OnlyWholeSecondsAreWritten) {
  const Lease lease = NewLease({"default", "shop"}, "me", {.duration = 2900ms}, kNow);
  EXPECT_EQ(LengthOf(lease), 2s);
  EXPECT_EQ(LengthOf(Lease()), 0s);
}

TEST(LeaseRecord, TheTimesMustGoTogether) {
  struct Case {
    LeaseTimes times;
    std::string problem;
  };
  const Case cases[] = {
      {{}, ""},
      {{3s, 2s, 500ms}, ""},
      {{10s, 10s, 2s}, "invalid: leaseDuration must be greater than renewDeadline"},
      {{15s, 2400ms, 2s}, "invalid: renewDeadline must be greater than retryPeriod*JitterFactor"},
      {{15s, 2401ms, 2s}, ""},
      {{15s, 10s, 0s}, "invalid: retryPeriod must be greater than zero"},
      {{15s, -1s, -2s}, "invalid: retryPeriod must be greater than zero"},
      {{999ms, 500ms, 100ms}, "invalid: leaseDuration must be at least 1s"},
      {{68 * 366 * 24h + 24000h, 10s, 2s}, "invalid: leaseDuration must be less than 68 years"},
  };
  for (const Case& c : cases) {
    const auto valid = Validate(c.times);
    EXPECT_EQ(valid ? "" : valid.error().Describe(), c.problem);
  }
}

}  // namespace
}  // namespace flyball::runtime
