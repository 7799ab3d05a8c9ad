#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/metrics.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/client.h"
#include "flyball/runtime/controller.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/transport/transport_fake.h"
#include "gtest/gtest.h"

namespace flyball::controllers {

/// A controller on an embedded API server, in time that a test lets pass. What the controller
/// changes is kept as it was sent.
class ControllerFixture : public testing::Test {
 protected:
  /// A request of the controller's other than a GET, its body in JSON.
  struct Sent {
    std::string request;  ///< "PUT /api/v1/namespaces/team/status"
    std::string body;
  };

  /// What a controller is made of.
  runtime::Controller::Deps deps() {
    return {.client = client::Client(rest_, client::Encoding::kJson),
            .informers = informers_,
            .executor = executor_,
            .timers = timers_,
            .metrics = &metrics_};
  }
  /// All objects of a kind, for somebody who may do everything.
  template <typename T>
  client::ResourceClient<T> All() {
    return sandbox_.client().Of<T>();
  }

  /// Runs a controller with what a test does meanwhile.
  void Play(std::unique_ptr<runtime::Controller> controller, const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      informers_.Start();
      EXPECT_TRUE(informers_.WaitForSync({}));
      EXPECT_TRUE(controller->WaitForSync({}));
      controller->Start();
      test();
      controller.reset();
      informers_.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(100));
    EXPECT_TRUE(done) << report.Describe();
  }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  /// What the controller has sent since this was last asked for.
  std::vector<Sent> TakeSent() { return std::exchange(sent_, {}); }
  /// The same without bodies.
  std::vector<std::string> TakeRequests() {
    std::vector<std::string> requests;
    for (const Sent& sent : TakeSent()) requests.push_back(sent.request);
    return requests;
  }

  core::v1::Namespace CreateNamespace(const std::string& name) {
    core::v1::Namespace space;
    space.metadata.name = name;
    auto created = All<core::v1::Namespace>().Create(space);
    EXPECT_TRUE(created) << created.error().Describe();
    return *std::move(created);
  }

  /// What pods of a namespace run as; without it there are none.
  void CreateServiceAccount(const std::string& namespace_) {
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = namespace_;
    account.metadata.name = "default";
    const auto created = All<core::v1::ServiceAccount>().Create(account);
    EXPECT_TRUE(created) << created.error().Describe();
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  MetricRegistry metrics_;
  /// Called before the next request of the controller's, and that one only: for what happens at the
  /// wrong moment.
  std::function<void()> before_next_request_ = nullptr;
  /// May answer a request of the controller's in the server's place.
  std::function<std::optional<transport::Response>(const transport::Request&)> answer_instead_ =
      nullptr;

 private:
  class Spy final : public transport::Transport {
   public:
    explicit Spy(ControllerFixture& test) : test_(test) {}
    std::shared_ptr<transport::Exchange> Send(
        transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
      if (const auto before = std::exchange(test_.before_next_request_, nullptr)) before();
      if (request.method != "GET") {
        request.target = transport::WithoutTimeout(std::move(request.target));
        test_.sent_.push_back({request.method + " " + request.target, request.body});
      }
      const auto answer_instead = test_.answer_instead_;  // which may put another in its place
      auto answer = answer_instead ? answer_instead(request) : std::nullopt;
      if (!answer) return test_.faults_.Send(std::move(request), std::move(handler));
      handler->OnHead({answer->status, answer->headers});
      handler->OnData(answer->body);
      handler->OnEnd({});
      return std::make_shared<Answered>();
    }

   private:
    class Answered final : public transport::Exchange {
      void Cancel() override {}
      void Consumed(std::size_t /*bytes*/) override {}
    };
    ControllerFixture& test_;
  };

  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};

 protected:
  /// What goes wrong between the server and the controller, its caches included.
  sandbox::Faults faults_{sandbox_.transport(), executor_};

 private:
  std::vector<Sent> sent_;
  Spy spy_{*this};
  client::RestClient rest_{{.transport = spy_, .clock = executor_.clock()}, {}};
  sandbox::Session reader_{faults_, executor_.clock()};
  cache::InformerFactory informers_{
      {.client = reader_.client(), .executor = executor_, .timers = timers_, .random = [] {
         return 0.5;
       }}};
};

}  // namespace flyball::controllers
