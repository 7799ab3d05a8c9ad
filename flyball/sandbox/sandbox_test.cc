#include "flyball/sandbox/sandbox.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/client/kubeconfig.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using core::v1::ConfigMap;

ConfigMap MapNamed(std::string name) {
  ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = std::move(name);
  return map;
}

ConfigMap MapNamedBy(std::string prefix) {
  ConfigMap map = MapNamed("");
  map.metadata.generateName = std::move(prefix);
  return map;
}

/// A folder that goes with the test.
class SandboxTest : public testing::Test {
 protected:
  SandboxTest() { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~SandboxTest() override { std::filesystem::remove_all(folder_); }

  /// Over the wire, with what somebody was given.
  static Result<transport::Response> Ask(const Access& access, const std::string& token) {
    RealClock clock;
    ElasticExecutor executor(clock);
    transport::Network network(executor);
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(access.url);
    options.tls = [roots = access.authority_pem] { return transport::TlsOptions{.roots = roots}; };
    transport::HttpTransport transport(network, std::move(options));
    return transport::Fetch(transport, clock,
                            {.target = "/api/v1/namespaces/default",
                             .headers = {{"authorization", "Bearer " + token}},
                             .timeout = std::chrono::seconds(10)});
  }

  std::string folder_ = testing::TempDir() + "/sandbox.XXXXXX";
};

TEST_F(SandboxTest, ServesInOneLine) {
  Sandbox sandbox;
  const auto maps = sandbox.client().Of<ConfigMap>();
  const auto created = maps.Create(MapNamed("map"));
  ASSERT_TRUE(created) << created.error().Describe();
  EXPECT_EQ(*maps.Get({"default", "map"}), *created);
  EXPECT_EQ(maps.ListIn("default")->items.size(), 1U);
}

TEST_F(SandboxTest, NobodyElseMayDoMoreThanAskWhoTheyAre) {
  Sandbox sandbox;
  const auto alice = sandbox.As({.name = "alice"});
  const auto created = alice->client().Of<ConfigMap>().Create(MapNamed("map"));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), ErrorCode::kForbidden);
}

TEST_F(SandboxTest, TheSameSeedMakesTheSameNames) {
  const auto name = [](std::uint64_t seed) {
    DeterministicExecutor executor(seed);
    Timers timers(executor);
    const Sandbox sandbox({executor, timers}, {.seed = seed});
    const auto created = sandbox.client().Of<ConfigMap>().Create(MapNamedBy("map-"));
    return created ? created->metadata.name + " " + created->metadata.uid : "";
  };
  EXPECT_NE(name(1), "");
  EXPECT_EQ(name(1), name(1));
  EXPECT_NE(name(1), name(2));
}

TEST_F(SandboxTest, WithoutASeedNobodyCanForeseeAName) {
  const auto uid = [] {
    const Sandbox sandbox;
    return sandbox.client().Of<ConfigMap>().Create(MapNamed("map"))->metadata.uid;
  };
  EXPECT_NE(uid(), uid());
}

TEST_F(SandboxTest, CanBeListenedToByThoseWhoHaveTheToken) {
  Sandbox sandbox;
  const auto access = sandbox.Listen();
  ASSERT_TRUE(access) << access.error().Describe();
  const auto response = Ask(*access, access->token);
  ASSERT_TRUE(response) << response.error().Describe();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(Ask(*access, "guess")->status, 401);

  // Whom it was not told to trust, it does not trust.
  Sandbox other;
  Access wrong = *access;
  wrong.authority_pem = other.Listen()->authority_pem;
  EXPECT_FALSE(Ask(wrong, access->token));

  sandbox.StopListening();
  EXPECT_FALSE(Ask(*access, access->token));
}

TEST_F(SandboxTest, WritesAKubeconfigThatNobodyElseCanRead) {
  Sandbox sandbox;
  const auto access = sandbox.Listen();
  ASSERT_TRUE(access) << access.error().Describe();
  const std::string file = folder_ + "/kubeconfig";
  ASSERT_TRUE(access->WriteKubeconfig(file));
  struct stat facts = {};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(text, access->Kubeconfig());
  EXPECT_THAT(text, testing::HasSubstr("server: " + access->url + "\n"));
  EXPECT_THAT(text, testing::HasSubstr("token: " + access->token + "\n"));
  EXPECT_FALSE(access->WriteKubeconfig(folder_ + "/not/there"));
}

TEST_F(SandboxTest, AFolderKeepsObjectsAndAccess) {
  Access first;
  {
    const auto sandbox = Sandbox::Create({.folder = folder_});
    ASSERT_TRUE(sandbox) << sandbox.error().Describe();
    EXPECT_TRUE((*sandbox)->client().Of<ConfigMap>().Create(MapNamed("map")));
    first = (*sandbox)->Listen().value();
  }
  const auto again = Sandbox::Create({.folder = folder_});
  ASSERT_TRUE(again) << again.error().Describe();
  EXPECT_TRUE((*again)->client().Of<ConfigMap>().Get({"default", "map"}));
  const Access second = (*again)->Listen().value();
  EXPECT_EQ(second.token, first.token);
  EXPECT_EQ(second.authority_pem, first.authority_pem);
  first.url = second.url;
  EXPECT_EQ(Ask(first, first.token)->status, 200);
}

TEST_F(SandboxTest, SaysWhyItCannotBeMade) {
  const std::string file = folder_ + "/file";
  std::ofstream(file) << "not a folder";
  const auto sandbox = Sandbox::Create({.folder = file});
  ASSERT_FALSE(sandbox);
  EXPECT_EQ(sandbox.error().code(), ErrorCode::kIo);

  Sandbox one;
  Sandbox other;
  serving::HttpServer::Options taken;
  taken.port = transport::Url::Parse(one.Listen()->url)->port;
  const auto access = other.Listen(taken);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().code(), ErrorCode::kIo);
}

TEST_F(SandboxTest, ClosedFenceKeepsRequestsFromIt) {
  class Closed final : public transport::WriteFence {
    std::chrono::nanoseconds Left() const override { return {}; }
    std::string WhyClosed() const override { return "no longer the leader"; }
  };
  Sandbox sandbox;
  client::RestClient rest({.transport = sandbox.transport(),
                           .clock = sandbox.clock(),
                           .fence = std::make_shared<Closed>()},
                          {});
  const auto created = client::Client(rest).Of<ConfigMap>().Create(MapNamed("map"));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(sandbox.client().Of<ConfigMap>().ListIn("default")->items.empty());
}

TEST_F(SandboxTest, MayGoWhenARunIsAbandonedInTheMiddle) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    DeterministicExecutor executor(seed);
    Timers timers(executor);
    Sandbox sandbox({executor, timers}, {.seed = seed});
    for (const char* const task : {"a", "b", "c"}) {
      executor.Start(task, [&, task] {
        const auto maps = sandbox.client().Of<ConfigMap>();
        auto watch = maps.WatchIn("default");
        for (;;) {
          std::ignore = maps.Create(MapNamedBy(task));
          std::ignore = maps.ListIn("default");
          if (watch) std::ignore = watch->Next();
          executor.clock().SleepFor(std::chrono::milliseconds(1));
        }
      });
    }
    std::ignore = executor.RunFor(std::chrono::milliseconds(seed));
    executor.Abandon();
  }
}

}  // namespace
}  // namespace flyball::sandbox
