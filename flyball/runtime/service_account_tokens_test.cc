#include "flyball/runtime/service_account_tokens.h"

#include "flyball/base/deterministic_executor.h"
#include "flyball/client/credentials.h"
#include "flyball/sandbox/api_server.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;
using core::v1::ServiceAccount;

const api::ObjectKey kAccount{"kube-system", "ttl-after-finished-controller"};

/// Passes requests on, as long as there is a server.
class BreakableTransport final : public transport::Transport {
 public:
  explicit BreakableTransport(transport::Transport& next) : next_(next) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    ++requests;
    if (cut) request.target = "/nowhere" + request.target;
    return next_.Send(std::move(request), std::move(handler));
  }

  bool cut = false;
  int requests = 0;

 private:
  transport::Transport& next_;
};

class ServiceAccountTokensTest : public testing::Test {
 protected:
  /// Runs a test in virtual time.
  void Run(std::function<void()> test) {
    executor_.Start("test", std::move(test));
    EXPECT_EQ(executor_.RunUntilIdle().outcome, DeterministicExecutor::Report::Outcome::kAllDone);
  }
  std::string Authorization() {
    transport::Headers headers;
    const auto added = credentials_->AddTo(headers);
    if (!added) return added.error().Describe();
    return std::string(transport::FindHeader(headers, "authorization"));
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  std::unique_ptr<sandbox::ApiServer> server_ = *sandbox::ApiServer::Create(
      {executor_, timers_}, {.random = [this] { return random_ += 0x9e3779b97f4a7c15; }});
  std::unique_ptr<transport::Transport> manager_ =
      server_->As({.name = "manager", .groups = {"system:masters"}});
  BreakableTransport transport_{*manager_};
  client::RestClient rest_{{.transport = transport_, .clock = executor_.clock()}, {}};
  client::Client client_{rest_};
  std::unique_ptr<client::Credentials> credentials_ = *client::Credentials::Create(
      {}, {.clock = executor_.clock(),
           .issue = ServiceAccountTokens({client_, executor_.clock()}, kAccount)});
};

TEST_F(ServiceAccountTokensTest, MakesTheAccountAndActsAsIt) {
  Run([this] {
    client::RestClient rest(
        {.transport = *server_, .clock = executor_.clock(), .credentials = credentials_.get()}, {});
    EXPECT_TRUE(client::Client(rest).Of<ServiceAccount>().Get(kAccount).has_value());
  });
}

TEST_F(ServiceAccountTokensTest, MakesTheNamespaceToo) {
  Run([this] {
    const ServiceAccountTokens tokens({client_, executor_.clock()}, {"elsewhere", "robot"});
    EXPECT_TRUE(tokens().has_value());
  });
}

TEST_F(ServiceAccountTokensTest, RenewsWhenAFifthOfItsLifeIsLeft) {
  Run([this] {
    const std::string first = Authorization();
    executor_.clock().SleepFor(48min - 1s);
    EXPECT_EQ(Authorization(), first);
    executor_.clock().SleepFor(2s);
    EXPECT_NE(Authorization(), first);
  });
}

TEST_F(ServiceAccountTokensTest, GoesOnWithTheOldTokenWhileThereIsNoOther) {
  Run([this] {
    const std::string first = Authorization();
    executor_.clock().SleepFor(50min);
    transport_.cut = true;
    EXPECT_EQ(Authorization(), first);
    const int asked = transport_.requests;
    EXPECT_EQ(Authorization(), first);
    EXPECT_EQ(transport_.requests, asked) << "nobody waits for each failure";

    transport_.cut = false;
    executor_.clock().SleepFor(10s);
    EXPECT_NE(Authorization(), first);
  });
}

TEST_F(ServiceAccountTokensTest, TriesFourTimes) {
  Run([this] {
    transport_.cut = true;
    const SteadyTime before = executor_.clock().SteadyNow();
    EXPECT_EQ(Authorization(),
              "not served: get serviceaccounts kube-system/ttl-after-finished-controller: status "
              "404: 404 page not found ");
    EXPECT_EQ(executor_.clock().SteadyNow() - before, 3500ms);
  });
}

}  // namespace
}  // namespace flyball::runtime
