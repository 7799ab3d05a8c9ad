#include "flyball/endpoints/authentication/authentication_info_source.h"

#include <unistd.h>

#include <filesystem>

#include "flyball/base/deterministic_executor.h"
#include "flyball/endpoints/text_file.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/serving/certificates.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;

class AuthenticationInfoSourceTest : public testing::Test {
 protected:
  AuthenticationInfoSourceTest() {
    std::filesystem::remove_all(folder_);
    map_.metadata.namespace_ = "kube-system";
    map_.metadata.name = "extension-apiserver-authentication";
  }
  ~AuthenticationInfoSourceTest() override {
    executor_.Abandon();
    std::filesystem::remove_all(folder_);
  }

  /// Runs a test in virtual time, for at most a minute of it.
  void Run(std::function<void()> test) {
    executor_.Start("test", [this, test = std::move(test)] {
      test();
      source_.reset();
    });
    EXPECT_EQ(executor_.RunFor(1min).outcome, DeterministicExecutor::Report::Outcome::kAllDone);
  }
  Result<> Create(AuthenticationInfoOptions options, transport::Transport* transport) {
    AuthenticationInfoSource::Deps deps{
        .executor = executor_, .timers = timers_, .random = [] { return 0.5; }};
    if (transport != nullptr) {
      rest_.emplace(client::RestClient::Deps{.transport = *transport, .clock = executor_.clock()},
                    client::RestClient::Options());
      deps.client.emplace(*rest_);
    }
    FLYBALL_TRY(source_, AuthenticationInfoSource::Create(std::move(deps), std::move(options)));
    return {};
  }
  std::string AuthorityNamed(const std::string& name) {
    return serving::CertificateAuthority::Make(name, executor_.clock().WallNow())
        ->self()
        .certificate_pem;
  }
  std::string File(const std::string& name) const { return folder_ / name; }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("trust-" + std::to_string(getpid()) + "-" +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  std::unique_ptr<sandbox::ApiServer> server_ = *sandbox::ApiServer::Create(
      {executor_, timers_}, {.random = [this] { return random_ += 0x9e3779b97f4a7c15; }});
  std::unique_ptr<transport::Transport> manager_ =
      server_->As({.name = "manager", .groups = {"system:masters"}});
  std::optional<client::RestClient> rest_;
  core::v1::ConfigMap map_;
  std::unique_ptr<AuthenticationInfoSource> source_;
};

TEST_F(AuthenticationInfoSourceTest, FollowsTheClustersConfigMap) {
  Run([this] {
    client::RestClient rest({.transport = *manager_, .clock = executor_.clock()}, {});
    const auto maps = client::Client(rest).Of<core::v1::ConfigMap>();
    const std::string first = AuthorityNamed("first");
    const std::string second = AuthorityNamed("second");
    map_.data["client-ca-file"] = first;
    auto made = maps.Create(map_);
    ASSERT_TRUE(made) << made.error().Describe();
    ASSERT_TRUE(Create({}, manager_.get()));
    EXPECT_EQ(source_->Current()->AllRoots(), first);
    int changes = 0;
    source_->OnChange([&] { ++changes; });
    made->data["client-ca-file"] = second;
    made->data["requestheader-client-ca-file"] = first;
    made->data["requestheader-username-headers"] = R"(["X-Who"])";
    ASSERT_TRUE(maps.Update(*made));
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(source_->Current()->AllRoots(), second + first);
    EXPECT_EQ(source_->Current()->proxy_headers.username, std::vector<std::string>{"X-Who"});
    // It goes on with what it knows.
    ASSERT_TRUE(maps.Delete({"kube-system", "extension-apiserver-authentication"}));
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(source_->Current()->AllRoots(), second + first);
  });
}

TEST_F(AuthenticationInfoSourceTest, AMapThatIsNotThereYetIsWaitedFor) {
  Run([this] {
    ASSERT_TRUE(Create({}, manager_.get()));
    EXPECT_EQ(source_->Current()->AllRoots(), "");
    client::RestClient rest({.transport = *manager_, .clock = executor_.clock()}, {});
    map_.data["client-ca-file"] = AuthorityNamed("late");
    ASSERT_TRUE(client::Client(rest).Of<core::v1::ConfigMap>().Create(map_));
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(source_->Current()->AllRoots(), map_.data["client-ca-file"]);
  });
}

TEST_F(AuthenticationInfoSourceTest, WhoMayNotLookIsToldSoUnlessThatIsTolerated) {
  FakeTransport refuses([](const transport::Request&) {
    return FakeTransport::Answer::Of(403, R"({"kind":"Status","reason":"Forbidden"})");
  });
  Run([&] {
    const auto created = Create({}, &refuses);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kForbidden);
    EXPECT_THAT(
        created.error().message(),
        testing::StartsWith("unable to load configmap based request-header-client-ca-file: "));
    EXPECT_TRUE(Create({.tolerate_lookup_failure = true}, &refuses));
  });
  const std::size_t asked = refuses.requests().size();
  Run([&] { EXPECT_TRUE(Create({.skip_lookup = true}, &refuses)); });
  EXPECT_EQ(refuses.requests().size(), asked);
}

TEST_F(AuthenticationInfoSourceTest, FilesGoBeforeTheClusterAndAreReadAgain) {
  const std::string first = AuthorityNamed("first");
  const std::string second = AuthorityNamed("second");
  ASSERT_TRUE(WriteTextFile(File("clients"), first, false));
  ASSERT_TRUE(WriteTextFile(File("proxies"), second, false));
  Run([&] {
    ASSERT_TRUE(Create({.clients_file = File("clients"),
                        .proxies_file = File("proxies"),
                        .proxy_names = {"proxy"}},
                       manager_.get()));
    EXPECT_EQ(source_->Current()->clients->pem, first);
    EXPECT_EQ(source_->Current()->proxies->pem, second);
    EXPECT_EQ(source_->Current()->proxy_names, std::vector<std::string>{"proxy"});
    int changes = 0;
    source_->OnChange([&] { ++changes; });
    source_->RereadFiles();
    EXPECT_EQ(changes, 0);
    ASSERT_TRUE(WriteTextFile(File("clients"), second, false));
    source_->RereadFiles();
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(source_->Current()->clients->pem, second);
    ASSERT_TRUE(WriteTextFile(File("clients"), "half of i", false));
    source_->RereadFiles();
    EXPECT_EQ(source_->Current()->clients->pem, second);
  });
}

TEST_F(AuthenticationInfoSourceTest, AFileThatIsGivenMustBeThere) {
  Run([this] {
    const auto created = Create({.clients_file = File("none")}, nullptr);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().message(),
              "unable to load client CA provider: " + File("none") + ": No such file or directory");
  });
}

}  // namespace
}  // namespace flyball::endpoints
