#include "flyball/controllers/endpoint_slice/zone_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::controllers::endpoint_slice {
namespace {

using api::ObjectKey;
using common::IpFamily;
using testing::ElementsAre;
using testing::IsEmpty;

const ObjectKey kWeb{"shop", "web"};
const ObjectKey kDb{"shop", "db"};
const ZoneShares kEqualShares = std::map<std::string, double>{{"east", 0.5}, {"west", 0.5}};

TEST(ZoneBook, TellsOfTheFirstHintsAndOfTheLast) {
  ZoneBook book;
  EXPECT_FALSE(book.Remove(kWeb, IpFamily::kV4));
  EXPECT_TRUE(book.Put(kWeb, IpFamily::kV4, {{"east", 1}}));
  EXPECT_FALSE(book.Put(kWeb, IpFamily::kV4, {{"east", 2}}));
  EXPECT_FALSE(book.Put(kWeb, IpFamily::kV6, {{"east", 2}}));
  EXPECT_TRUE(book.Remove(kWeb, IpFamily::kV4));
  // As upstream's, who thinks of the whole service.
  EXPECT_TRUE(book.Put(kWeb, IpFamily::kV6, {{"east", 2}}));
  EXPECT_TRUE(book.Remove(kWeb, IpFamily::kV6));
  EXPECT_FALSE(book.Remove(kWeb, IpFamily::kV6));
}

TEST(ZoneBook, KnowsWhoseHintsNoLongerGoWithTheShares) {
  ZoneBook book;
  book.SetShares(kEqualShares);
  EXPECT_EQ(book.shares(), kEqualShares);
  book.Put(kWeb, IpFamily::kV4, {{"east", 2}, {"west", 2}});
  book.Put(kDb, IpFamily::kV4, {{"east", 2}, {"west", 2}});
  EXPECT_THAT(book.Overloaded(), IsEmpty());
  book.Put(kWeb, IpFamily::kV6, {{"east", 4}});
  EXPECT_THAT(book.Overloaded(), ElementsAre(kWeb));
  book.SetShares(std::nullopt);
  EXPECT_THAT(book.Overloaded(), ElementsAre(kDb, kWeb));
  book.Forget(kWeb);
  EXPECT_THAT(book.Overloaded(), ElementsAre(kDb));
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
