#pragma once

#include <memory>
#include <string>
#include <utility>

#include "flyball/client/access_config.h"
#include "tests/cluster/admin_test.h"
#include "tests/cluster/small_manager.h"

namespace flyball::cluster {

/// A test of controllers on a real API server, each with the rights of its own service account and
/// no more: what it is refused for want of rights fails the test.
class ManagerTest : public AdminTest {
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

  const client::AccessConfig access_ = Must(client::ToolAccess(
      Must(plane().WriteKubeconfig("manager",
                                   {.token = plane().TokenOf("system:kube-controller-manager")}))
          .string(),
      {}, {}, {}));
  transport::HttpTransport transport_{network(), plane().TransportOptions()};
  std::unique_ptr<SmallManager> manager_;
};

}  // namespace flyball::cluster
