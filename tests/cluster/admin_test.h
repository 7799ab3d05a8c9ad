#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/client/client.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"

namespace flyball::cluster {

/// The value, or a failed test and a default one.
template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}
inline void Must(const Result<>& result) { EXPECT_TRUE(result) << result.error().Describe(); }

/// A test with somebody who may do everything.
class AdminTest : public ClusterTest {
 protected:
  static bool Eventually(const std::function<bool()>& so,
                         std::chrono::seconds patience = std::chrono::seconds(120)) {
    const SteadyTime deadline = clock().DeadlineAfter(patience);
    while (!so()) {
      if (clock().SteadyNow() > deadline) return false;
      clock().SleepFor(std::chrono::milliseconds(50));
    }
    return true;
  }

  const client::Client& admin() const { return admin_; }
  template <typename T>
  client::ResourceClient<T> All() const {
    return admin_.Of<T>();
  }
  template <typename T>
  bool Exists(const api::ObjectKey& key) const {
    return All<T>().Get(key).has_value();
  }

  /// Creates a service account, and gives its token.
  std::string NewAccount(const api::ObjectKey& key) const {
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = key.namespace_;
    account.metadata.name = key.name;
    Must(All<core::v1::ServiceAccount>().Create(account));
    return Must(admin_.CreateToken(key, {})).status.token;
  }
  /// Lets a service account see a path that is no resource's.
  void AllowToSee(const api::ObjectKey& account, const std::string& path) const {
    rbac::v1::ClusterRole role;
    role.metadata.name = account.namespace_ + "-" + account.name + "-sees";
    rbac::v1::PolicyRule& rule = role.rules.emplace_back();
    rule.verbs = {"get"};
    rule.nonResourceURLs = {path};
    Must(All<rbac::v1::ClusterRole>().Create(role));
    rbac::v1::ClusterRoleBinding binding;
    binding.metadata.name = role.metadata.name;
    binding.roleRef.apiGroup = "rbac.authorization.k8s.io";
    binding.roleRef.kind = "ClusterRole";
    binding.roleRef.name = role.metadata.name;
    rbac::v1::Subject& subject = binding.subjects.emplace_back();
    subject.kind = "ServiceAccount";
    subject.namespace_ = account.namespace_;
    subject.name = account.name;
    Must(All<rbac::v1::ClusterRoleBinding>().Create(binding));
  }

 private:
  transport::HttpTransport admin_transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("people", {"system:masters"}))};
  client::RestClient admin_rest_{{.transport = admin_transport_, .clock = clock()}, {}};
  const client::Client admin_{admin_rest_};
};

}  // namespace flyball::cluster
