#include "flyball/endpoints/accepts_gzip.h"

#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

TEST(Gzip, IsForThoseWhoAskForIt) {
  EXPECT_TRUE(AcceptsGzip({{"accept-encoding", "gzip"}}));
  EXPECT_TRUE(AcceptsGzip({{"accept-encoding", "deflate, gzip;q=0.5"}}));
  for (const char* other : {"", "zstd", "gzip;q=0", "gzip; q=0.0", "x-gzip"}) {
    EXPECT_FALSE(AcceptsGzip({{"accept-encoding", other}})) << other;
  }
  EXPECT_FALSE(AcceptsGzip({}));
}

}  // namespace
}  // namespace flyball::endpoints
