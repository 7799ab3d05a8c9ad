#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/small_manager.h"

namespace flyball::cluster {

/// The value, or a failed test and a default one.
template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}
inline void Must(const Result<>& result) { EXPECT_TRUE(result) << result.error().Describe(); }

/// A test of controllers on a real API server, each with the rights of its own service account and
/// no more: what it is refused for want of rights fails the test.
class ManagerTest : public ClusterTest {
 protected:
  void TearDown() override {
    if (manager_) {
      EXPECT_TRUE(manager_->Stop(clock().DeadlineAfter(std::chrono::seconds(30))));
    }
    EXPECT_THAT(real_plane().ForbiddenRequests(), testing::IsEmpty());
  }

  void StartManager(controllers::Settings settings = {}) {
    manager_ = std::make_unique<SmallManager>(SmallManager::Deps{.executor = executor(),
                                                                 .transport = transport_,
                                                                 .access = access_,
                                                                 .settings = std::move(settings)});
    const auto started = manager_->Start();
    ASSERT_TRUE(started) << started.error().Describe();
  }

  static bool Eventually(const std::function<bool()>& so,
                         std::chrono::seconds patience = std::chrono::seconds(30)) {
    const SteadyTime deadline = clock().DeadlineAfter(patience);
    while (!so()) {
      if (clock().SteadyNow() > deadline) return false;
      clock().SleepFor(std::chrono::milliseconds(50));
    }
    return true;
  }

  /// Who may do everything.
  const client::Client& admin() const { return admin_; }
  template <typename T>
  client::ResourceClient<T> All() const {
    return admin_.Of<T>();
  }
  template <typename T>
  bool Exists(const api::ObjectKey& key) const {
    return All<T>().Get(key).has_value();
  }

  transport::HttpTransport admin_transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("people", {"system:masters"}))};
  client::RestClient admin_rest_{{.transport = admin_transport_, .clock = clock()}, {}};
  const client::Client admin_{admin_rest_};

  const client::AccessConfig access_ = Must(client::ToolAccess(
      Must(plane().WriteKubeconfig("manager",
                                   {.token = plane().TokenOf("system:kube-controller-manager")}))
          .string(),
      {}, {}, {}));
  transport::HttpTransport transport_{network(), plane().TransportOptions()};
  std::unique_ptr<SmallManager> manager_;
};

}  // namespace flyball::cluster
