#include "flyball/endpoints/route_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using testing::ElementsAre;

HttpHandler Says(const std::string& text) {
  return [text](const Call&) { return PlainText(200, text); };
}

std::string PageOf(const RouteTable& routes, const std::string& path) {
  const auto http_handler = routes.Find(path);
  const transport::Request request;
  const RequestTarget target{path};
  return http_handler ? (*http_handler)({request, target}).body : "none";
}

TEST(RouteTable, TakesAPathBeforeAPrefixAndTheLongestOfThose) {
  RouteTable routes;
  routes.Add("/debug/flags/v", Says("v"));
  routes.AddPrefix("/debug/", Says("debug"));
  routes.AddPrefix("/debug/flags/", Says("flags"));
  routes.Add("/debug/flags", Says("index"), RouteTable::Listing::kUnlisted);
  EXPECT_EQ(PageOf(routes, "/debug/flags/v"), "v");
  EXPECT_EQ(PageOf(routes, "/debug/flags/v/"), "flags");
  EXPECT_EQ(PageOf(routes, "/debug/flags"), "index");
  EXPECT_EQ(PageOf(routes, "/debug/pprof"), "debug");
  EXPECT_EQ(PageOf(routes, "/debug"), "none");
  EXPECT_EQ(PageOf(routes, "/"), "none");
  EXPECT_THAT(routes.Listed(), ElementsAre("/debug/flags/v"));
}

}  // namespace
}  // namespace flyball::endpoints
