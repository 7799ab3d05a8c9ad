#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/log_sink.h"
#include "flyball/base/timers.h"
#include "flyball/operator/manager.h"
#include "flyball/operator/manager_runnable.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/sandbox/write_journal.h"
#include "flyball/testkit/workloads.h"

/// For tests of operators: a cluster in the process of the test, in time that passes as fast as
/// nothing happens in it.
namespace flyball::testkit {

/// An API server, the controllers of workloads, nodes whose pods only pretend to run, and an
/// operator:
///
///   TestCluster cluster;
///   cluster.Install("website.yaml");
///   cluster.StartOperator(AddWebsiteController);
///   cluster.Create(site);
///   EXPECT_TRUE(cluster.Eventually([&] { return IsReady(cluster.Get<Website>(key)); }));
///
/// Nothing runs but within Pass() and Eventually(), on a clock of its own: minutes of back-off take
/// no time, and the same seed makes the same run. What cannot be done ends the test program, with
/// the reason: a test that cannot begin has nothing to say.
///
/// One thread.
class TestCluster {
 public:
  struct Options {
    std::uint64_t seed = 1;  ///< decides what happens first, where several things could
    int nodes = 2;           ///< none: pods stay as they are created, and so do their owners
  };

  TestCluster() : TestCluster(Options()) {}
  explicit TestCluster(const Options& options);
  ~TestCluster();
  TestCluster(const TestCluster&) = delete;
  TestCluster& operator=(const TestCluster&) = delete;

  /// Creates what a manifest has in it, mostly CRDs. YAML, any number in a file.
  void Install(const std::filesystem::path& manifest);

  /// Has an operator run from now on, as its main() would.
  void StartOperator(const std::function<void(Manager& manager)>& describe,
                     ManagerOptions options = {.name = "operator"});
  /// Ends it in order; another may be started.
  void StopOperator();
  /// Why it is not ready, see ManagerRunnable::Ready().
  Result<> Ready() const { return runnable_->Ready(); }
  Manager& manager() { return *manager_; }

  // What the administrator does.
  template <typename T>
  T Create(const T& object) {
    return Must("create",
                Do([&](const auto& client) { return client.template Of<T>().Create(object); }));
  }
  template <typename T>
  T Get(const api::ObjectKey& key) {
    return Must("get", Do([&](const auto& client) { return client.template Of<T>().Get(key); }));
  }
  template <typename T>
  T Update(const T& object) {
    return Must("update",
                Do([&](const auto& client) { return client.template Of<T>().Update(object); }));
  }
  template <typename T>
  T UpdateStatus(const T& object) {
    return Must("update the status of", Do([&](const auto& client) {
                  return client.template Of<T>().UpdateStatus(object);
                }));
  }
  template <typename T>
  bool Exists(const api::ObjectKey& key) {
    return Do([&](const auto& client) { return client.template Of<T>().Get(key); }).has_value();
  }
  template <typename T>
  void Delete(const api::ObjectKey& key) {
    Must("delete", Do([&](const auto& client) { return client.template Of<T>().Delete(key); }));
  }
  /// Anything else: calls `ask` with the administrator's client, in a task, and returns what it
  /// does.
  template <typename Ask>
  auto Do(const Ask& ask) {
    std::optional<decltype(ask(sandbox_.client()))> answer;
    See("administrator", [&] { answer.emplace(ask(sandbox_.client())); });
    return *std::move(answer);
  }
  /// The events about objects of this name, in order: "Normal Served: shop.example.com is served".
  std::vector<std::string> EventsAbout(std::string_view name);

  /// Lets time pass.
  void Pass(std::chrono::nanoseconds span);
  /// Lets time pass until something is so; false if it is not within that time.
  [[nodiscard]] bool Eventually(const std::function<bool()>& so,
                                std::chrono::nanoseconds within = std::chrono::minutes(2));
  WallTime now() { return executor_.clock().WallNow(); }

  /// What goes wrong between the operator and the server, and a count of its requests.
  sandbox::Faults& faults() { return faults_; }
  /// What the operator wrote: "create configmaps default/web".
  std::vector<std::string> Writes() const { return journal_.lines(); }
  /// What the operator logged.
  std::string Log() const { return log_->text(); }

 private:
  template <typename T>
  static T Must(std::string_view verb, Result<T> result) {
    if (!result) Refuse(verb, result.error());
    return *std::move(result);
  }
  static void Must(std::string_view verb, const Result<>& result) {
    if (!result) Refuse(verb, result.error());
  }
  [[noreturn]] static void Refuse(std::string_view verb, const Error& error);
  /// Has a task do something that waits, and sees it through.
  void See(const std::string& name, const std::function<void()>& task);

  DeterministicExecutor executor_;
  Timers timers_{executor_};
  const std::shared_ptr<StringLogSink> log_ = std::make_shared<StringLogSink>();
  const Logger logger_;
  sandbox::Sandbox sandbox_;
  const std::unique_ptr<sandbox::Session> operator_session_;
  sandbox::WriteJournal journal_;
  sandbox::Faults faults_;
  sandbox::Session session_;  // the operator's, with what may go wrong before it
  std::unique_ptr<Workloads> workloads_;
  std::unique_ptr<Manager> manager_;
  std::unique_ptr<ManagerRunnable> runnable_;
};

}  // namespace flyball::testkit
