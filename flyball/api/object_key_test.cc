#include "flyball/api/object_key.h"

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/base/log_format.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

std::string LoggedAsText(const LogValue& value) {
  std::string out;
  AppendTextField(out, "k", value);
  return out;
}

std::string LoggedAsJson(const LogValue& value) {
  std::string out;
  AppendJsonField(out, "k", value);
  return out;
}

TEST(ObjectKey, IsAnObjectInLogLines) {
  const ObjectKey key{"kube-system", "dns"};
  EXPECT_EQ(LoggedAsText(key), R"( k="kube-system/dns")");
  EXPECT_EQ(LoggedAsJson(key), R"(,"k":{"name":"dns","namespace":"kube-system"})");
}

TEST(ObjectKey, OfAClusterScopedObjectLogsTheNameAlone) {
  const ObjectKey key{"", "node-1"};
  EXPECT_EQ(LoggedAsText(key), R"( k="node-1")");
  EXPECT_EQ(LoggedAsJson(key), R"(,"k":{"name":"node-1"})");
}

TEST(ObjectKey, KObjAndKRefNameObjectsInLogLines) {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "shop";
  pod.metadata.name = "web";
  EXPECT_EQ(LoggedAsText(KObj(pod)), R"( k="shop/web")");
  EXPECT_EQ(LoggedAsJson(KRef("", "node-1")), R"(,"k":{"name":"node-1"})");
}

}  // namespace
}  // namespace flyball::api
