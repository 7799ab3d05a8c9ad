#include "flyball/queue/tenant.h"

#include <chrono>
#include <string>

#include "gtest/gtest.h"

namespace flyball::queue {
namespace {

using std::chrono::seconds;

TEST(Tenants, TenantWithoutEntriesIsForgottenWhenItsRetriesAreNotLimitedAnyMore) {
  Tenants tenants(BackOff::Overall{.per_second = 10, .burst = 100});
  SteadyTime now;
  for (int i = 0; i < 1000; ++i) {
    QueueEntry entry;
    tenants.Join(entry, "n" + std::to_string(i), now);
    static_cast<void>(entry.tenant->retries->Take(now));
    tenants.Leave(entry);
  }
  EXPECT_EQ(tenants.size(), 1000U);
  now += seconds(1);
  for (int i = 0; i < 1000; ++i) {
    QueueEntry entry;
    tenants.Join(entry, "m" + std::to_string(i), now);
    tenants.Leave(entry);
  }
  EXPECT_LE(tenants.size(), 2U);
}

TEST(Tenants, TenantThatComesBackKeepsItsDebt) {
  Tenants tenants(BackOff::Overall{.per_second = 1, .burst = 1});
  const SteadyTime now;
  QueueEntry entry;
  tenants.Join(entry, "n", now);
  EXPECT_EQ(entry.tenant->retries->Take(now), seconds(0));
  tenants.Leave(entry);
  tenants.Join(entry, "n", now);
  EXPECT_EQ(entry.tenant->retries->Take(now), seconds(1));
  tenants.Leave(entry);
}

TEST(Tenants, WithoutALimitNothingIsRememberedOfThem) {
  Tenants tenants(std::nullopt);
  QueueEntry first;
  QueueEntry second;
  tenants.Join(first, "n", {});
  tenants.Join(second, "n", {});
  EXPECT_EQ(first.tenant, second.tenant);
  tenants.Leave(first);
  EXPECT_EQ(tenants.size(), 1U);
  tenants.Leave(second);
  EXPECT_EQ(tenants.size(), 0U);
}

}  // namespace
}  // namespace flyball::queue
