#include "flyball/manager/controller_host.h"

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/api_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::manager {
namespace {

using namespace std::chrono_literals;
using controllers::Entry;
using controllers::Made;
using controllers::Settings;
using core::v1::ConfigMap;
using core::v1::Secret;
using runtime::Context;
using runtime::Controller;
using runtime::Outcome;
using testing::HasSubstr;
using testing::Not;

/// Marks every object of a kind that comes.
template <typename T>
std::unique_ptr<Controller> MakeMarker(std::string name, const Controller::Deps& deps) {
  auto controller = std::make_unique<Controller>(name, deps);
  const auto objects = controller->Reads<T>();
  auto& queue = controller->AddQueue<>(
      {.name = name}, [name](Context& context, const api::ObjectKey& key) -> Result<Outcome> {
        FLYBALL_TRY(context.Patch<T>(
            key,
            client::Patch{.text = R"({"metadata":{"labels":{"marked-by":")" + name + "\"}}}"}));
        return Outcome::Done();
      });
  controller->On<T>(objects, {.added = [&queue](const auto& object, bool) {
                      queue.Add(api::ObjectKey::Of(*object));
                    }});
  return controller;
}

constexpr Entry kConfigMaps = {"configmaps", "", "configmap-marker",
                               [](const Controller::Deps& deps, const Settings&) -> Made {
                                 return MakeMarker<ConfigMap>("configmaps", deps);
                               }};
constexpr Entry kSecrets = {"secrets", "", "secret-marker",
                            [](const Controller::Deps& deps, const Settings&) -> Made {
                              return MakeMarker<Secret>("secrets", deps);
                            }};
constexpr Entry kOfAnotherWorld = {"aliens", "", "alien-controller",
                                   [](const Controller::Deps& deps, const Settings&) -> Made {
                                     ADD_FAILURE() << "there is no such API";
                                     return std::make_unique<Controller>("aliens", deps);
                                   },
                                   "example.com/v1"};

/// Lets everything through but reads of secrets, and at first nothing.
class BreakableTransport final : public transport::Transport {
 public:
  explicit BreakableTransport(transport::Transport& next) : next_(next) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    if (cut || (no_secrets && request.target.starts_with("/api/v1/secrets"))) {
      request.target = "/nowhere";
    }
    return next_.Send(std::move(request), std::move(handler));
  }

  bool cut = false;
  bool no_secrets = false;

 private:
  transport::Transport& next_;
};

class ControllerHostTest : public testing::Test {
 protected:
  std::unique_ptr<runtime::ClientIdentity> Open(const std::string& user_agent) {
    return *runtime::ClientIdentity::Create(
        {.executor = executor_, .transport = transport_, .random = Dice()}, {},
        {.user_agent = user_agent});
  }
  api::RandomBits Dice() {
    return [this] { return random_ += 0x9e3779b97f4a7c15; };
  }
  ControllerHost& Make(std::vector<const Entry*> controllers, std::chrono::seconds interval = 0s) {
    host_ = std::make_unique<ControllerHost>(
        ControllerHost::Deps{.executor = executor_,
                             .timers = timers_,
                             .own = *own_,
                             .open_identity =
                                 [this](const controllers::Entry& entry) {
                                   return Open(std::string(entry.service_account));
                                 },
                             .random = Dice(),
                             .metrics = metrics_,
                             .log = log_},
        ControllerHost::Options{.controllers = std::move(controllers), .start_interval = interval});
    return *host_;
  }
  template <typename T>
  void Create(const std::string& name) {
    T object;
    object.metadata.namespace_ = "default";
    object.metadata.name = name;
    ASSERT_TRUE(own_->client().Of<T>().Create(object).has_value());
  }
  template <typename T>
  std::string MarkOf(const std::string& name) {
    const auto object = own_->client().Of<T>().Get({"default", name});
    if (!object) return object.error().Describe();
    const std::string* const mark = object->metadata.labels.find("marked-by");
    return mark == nullptr ? "" : *mark;
  }
  /// Runs a test in virtual time.
  void Run(std::function<void()> test) {
    executor_.Start("test", [test = std::move(test), this] {
      test();
      host_.reset();
    });
    const auto report = executor_.RunFor(1h);
    EXPECT_EQ(host_, nullptr) << report.Describe();
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  MetricRegistry metrics_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 1}, executor_.clock(), sink_};
  std::unique_ptr<sandbox::ApiServer> server_ =
      *sandbox::ApiServer::Create({executor_, timers_}, {.random = Dice()});
  std::unique_ptr<transport::Transport> admin_ =
      server_->As({.name = "manager", .groups = {"system:masters"}});
  BreakableTransport transport_{*admin_};
  std::unique_ptr<runtime::ClientIdentity> own_ = Open("kube-controller-manager");
  std::unique_ptr<ControllerHost> host_;
};

TEST_F(ControllerHostTest, RunsControllersUntilItIsStopped) {
  Run([this] {
    Create<ConfigMap>("first");
    auto& host = Make({&kConfigMaps, &kSecrets});
    ASSERT_TRUE(host.Start({}).has_value());
    Create<Secret>("first");
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(MarkOf<ConfigMap>("first"), "configmaps");
    EXPECT_EQ(MarkOf<Secret>("first"), "secrets");
    EXPECT_THAT(metrics_.Text(), HasSubstr("running_managed_controllers{manager=\"kube-controller-"
                                           "manager\",name=\"secrets\"} 1\n"));

    EXPECT_TRUE(host.Stop(executor_.clock().DeadlineAfter(10s)));
    Create<Secret>("late");
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(MarkOf<Secret>("late"), "");
    EXPECT_THAT(metrics_.Text(), HasSubstr("running_managed_controllers{manager=\"kube-controller-"
                                           "manager\",name=\"secrets\"} 0\n"));
  });
}

TEST_F(ControllerHostTest, WhatCannotBeReadHoldsUpThoseWhoNeedItAlone) {
  Run([this] {
    transport_.no_secrets = true;
    Create<ConfigMap>("first");
    ASSERT_TRUE(Make({&kSecrets, &kConfigMaps}).Start({}).has_value());
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(MarkOf<ConfigMap>("first"), "configmaps");
    EXPECT_THAT(sink_->text(), Not(HasSubstr("\"Controller started\" controller=\"secrets\"")));

    transport_.no_secrets = false;
    executor_.clock().SleepFor(2min);
    EXPECT_THAT(sink_->text(), HasSubstr("\"Controller started\" controller=\"secrets\""));
  });
}

TEST_F(ControllerHostTest, CanBeStoppedWhileItWaits) {
  Run([this] {
    transport_.no_secrets = true;
    auto& host = Make({&kSecrets});
    ASSERT_TRUE(host.Start({}).has_value());
    executor_.clock().SleepFor(1s);
    EXPECT_TRUE(host.Stop(executor_.clock().DeadlineAfter(10s)));
  });
}

TEST_F(ControllerHostTest, WaitsForTheServerAndSaysSo) {
  Run([this] {
    transport_.cut = true;
    executor_.Start("repair", [this] {
      executor_.clock().SleepFor(30s);
      transport_.cut = false;
    });
    const SteadyTime before = executor_.clock().SteadyNow();
    ASSERT_TRUE(Make({&kSecrets}).Start({}).has_value());
    EXPECT_EQ(executor_.clock().SteadyNow() - before, 30s);
    EXPECT_THAT(sink_->text(), HasSubstr("\"APIServer isn't healthy yet\""));
  });
}

TEST_F(ControllerHostTest, LeavesOutWhatTheServerHasNoApiFor) {
  Run([this] {
    ASSERT_TRUE(Make({&kOfAnotherWorld}).Start({}).has_value());
    EXPECT_THAT(sink_->text(),
                HasSubstr("\"Warning: skipping controller\" controller=\"aliens\" "
                          "reason=\"the API server does not serve example.com/v1\""));
  });
}

TEST_F(ControllerHostTest, TheStartOfEachIsPutOffALittle) {
  Run([this] {
    Create<Secret>("first");
    ASSERT_TRUE(Make({&kSecrets}, 10s).Start({}).has_value());
    executor_.clock().SleepFor(10s - 1ms);
    EXPECT_EQ(MarkOf<Secret>("first"), "");
    executor_.clock().SleepFor(10s + 2ms);
    EXPECT_EQ(MarkOf<Secret>("first"), "secrets");
  });
}

}  // namespace
}  // namespace flyball::manager
