#include "flyball/cli/project_templates.h"

#include <array>

namespace flyball::cli {
namespace {

using Template = std::pair<std::string_view, std::string_view>;

constexpr std::array kTemplates = {
    Template{"README.md", R"~(# @NAME@

A Kubernetes operator for `@KIND@`, on [Flyball](https://flyball.dev).

    cmake -B build -G Ninja && cmake --build build
    ctest --test-dir build --output-on-failure

    flyball up --kubeconfig kubeconfig &        # a cluster to try it on, if there is none
    flyball apply --kubeconfig kubeconfig -f crd.yaml
    build/@NAME@ --kubeconfig kubeconfig

- `crd.yaml`: what people write. The build makes the C++ types of it.
- `controller.cc`: what is done about it.
- `controller_test.cc`: runs it in a cluster of the test's own.
- `deploy.yaml`, `Dockerfile`: the operator in a cluster, with the rights that it needs.
)~"},
    Template{"CMakeLists.txt", R"~(cmake_minimum_required(VERSION 3.25)
project(@NAMESPACE@ LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 23)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(Flyball REQUIRED COMPONENTS operator)
include(CTest)

# The types of crd.yaml: flyball/crds/@SINGULAR@_api/v1.h.
flyball_add_crd(@SINGULAR@_crd FILES crd.yaml NAMESPACE @SINGULAR@_api)

add_library(controller STATIC controller.cc)
target_link_libraries(controller PUBLIC @SINGULAR@_crd Flyball::operator)

add_executable(@NAME@ main.cc)
target_link_libraries(@NAME@ PRIVATE controller)
install(TARGETS @NAME@ RUNTIME)

if(BUILD_TESTING)
  find_package(Flyball REQUIRED COMPONENTS testkit)
  find_package(GTest REQUIRED)
  add_executable(controller_test controller_test.cc)
  target_link_libraries(controller_test PRIVATE controller Flyball::testkit GTest::gtest_main)
  target_compile_definitions(controller_test PRIVATE CRD="${CMAKE_CURRENT_SOURCE_DIR}/crd.yaml")
  add_test(NAME controller_test COMMAND controller_test)
endif()
)~"},
    Template{"crd.yaml", R"~(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: @PLURAL@.@GROUP@
spec:
  group: @GROUP@
  scope: Namespaced
  names: {plural: @PLURAL@, singular: @SINGULAR@, kind: @KIND@}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [greeting]
            properties:
              greeting: {type: string, description: What is said.}
          status:
            type: object
            properties:
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status, lastTransitionTime, reason, message]
                  properties:
                    type: {type: string}
                    status: {type: string, enum: ['True', 'False', Unknown]}
                    observedGeneration: {type: integer, format: int64}
                    lastTransitionTime: {type: string, format: date-time}
                    reason: {type: string}
                    message: {type: string}
)~"},
    Template{"controller.h", R"~(#pragma once

#include "flyball/operator/manager.h"

namespace @NAMESPACE@ {

/// Keeps a ConfigMap with the greeting of every @KIND@.
void AddController(flyball::Manager& manager);

}  // namespace @NAMESPACE@
)~"},
    Template{"controller.cc", R"~(#include "controller.h"

#include "flyball/api/core/v1.h"
@INCLUDE@ "flyball/crds/@SINGULAR@_api/v1.h"
#include "flyball/operator/operator.h"

namespace @NAMESPACE@ {
namespace {

using flyball::Outcome;
using flyball::ReconcileContext;
using flyball::Result;
using flyball::core::v1::ConfigMap;
using flyball::@SINGULAR@_api::v1::@KIND@;

ConfigMap GreetingOf(const @KIND@& object) {
  ConfigMap greeting;
  greeting.metadata.name = object.metadata.name;
  greeting.data["greeting"] = object.spec.greeting;
  return greeting;
}

Result<Outcome> Reconcile(ReconcileContext& context, const @KIND@& object) {
  FLYBALL_TRY(context.Apply(GreetingOf(object)));
  auto status = flyball::StatusOf(object);
  context.SetCondition(status.conditions,
                       {.type = "Ready", .status = true, .reason = "Said", .message = ""});
  FLYBALL_TRY(context.SetStatus(object, status));
  return Outcome::Done();
}

}  // namespace

void AddController(flyball::Manager& manager) {
  flyball::ControllerBuilder<@KIND@>(manager, "@SINGULAR@").Owns<ConfigMap>().Reconcile(Reconcile);
}

}  // namespace @NAMESPACE@
)~"},
    Template{"main.cc", R"~(#include "controller.h"
#include "flyball/operator/program.h"

int main(int argc, char** argv) {
  return flyball::RunOperator(argc, argv, {.name = "@NAME@"}, @NAMESPACE@::AddController);
}
)~"},
    Template{"controller_test.cc", R"~(#include "controller.h"

#include <gtest/gtest.h>

#include "flyball/api/core/v1.h"
@INCLUDE@ "flyball/crds/@SINGULAR@_api/v1.h"
#include "flyball/operator/conditions.h"
#include "flyball/testkit/test_cluster.h"

namespace @NAMESPACE@ {
namespace {

using flyball::core::v1::ConfigMap;
using flyball::@SINGULAR@_api::v1::@KIND@;
using flyball::testkit::TestCluster;

TEST(Controller, SaysTheGreeting) {
  TestCluster cluster;
  cluster.Install(CRD);
  cluster.StartOperator(AddController, {.name = "@NAME@"});
  @KIND@ object;
  object.metadata.namespace_ = "default";
  object.metadata.name = "first";
  object.spec.greeting = "hello";
  cluster.Create(object);
  ASSERT_TRUE(cluster.Eventually([&] {
    const auto status = cluster.Get<@KIND@>({"default", "first"}).status;
    return status && flyball::IsTrue(status->conditions, "Ready");
  })) << cluster.Log();
  EXPECT_EQ(cluster.Get<ConfigMap>({"default", "first"}).data["greeting"], "hello");
}

}  // namespace
}  // namespace @NAMESPACE@
)~"},
    Template{"deploy.yaml", R"~(apiVersion: v1
kind: Namespace
metadata: {name: @NAME@}
---
apiVersion: v1
kind: ServiceAccount
metadata: {namespace: @NAME@, name: @NAME@}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: @NAME@}
rules:
- apiGroups: [@GROUP@]
  resources: [@PLURAL@]
  verbs: [list, watch, patch]
- apiGroups: [@GROUP@]
  resources: [@PLURAL@/status, @PLURAL@/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, watch, create, patch]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: @NAME@}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: @NAME@}
subjects:
- {kind: ServiceAccount, namespace: @NAME@, name: @NAME@}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: @NAME@, name: leader-election}
rules:
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, create, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: @NAME@, name: leader-election}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: leader-election}
subjects:
- {kind: ServiceAccount, namespace: @NAME@, name: @NAME@}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: @NAME@, name: @NAME@}
spec:
  replicas: 2
  selector: {matchLabels: {app: @NAME@}}
  template:
    metadata: {labels: {app: @NAME@}}
    spec:
      serviceAccountName: @NAME@
      containers:
      - name: operator
        image: @NAME@:latest
        args: [--leader-elect]
        ports: [{name: health, containerPort: 8080}]
        livenessProbe: {httpGet: {path: /healthz, port: health}}
        readinessProbe: {httpGet: {path: /readyz, port: health}}
        resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 128Mi}}
        securityContext: {runAsNonRoot: true, runAsUser: 65534, readOnlyRootFilesystem: true}
)~"},
    Template{
        "Dockerfile",
        R"~(# The program, and the libraries that it is linked with: build it first, on Debian 12.
FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libspdlog1.10 \
      libfmt9 libyaml-cpp0.7 libssl3 libsqlite3-0 libnghttp2-14 libboost-json1.81.0 \
      libprometheus-cpp-core1.0 zlib1g && rm -rf /var/lib/apt/lists/*
COPY build/@NAME@ /usr/bin/@NAME@
USER 65534
ENTRYPOINT ["/usr/bin/@NAME@"]
)~"},
    Template{".gitignore", R"~(build/
kubeconfig
)~"}};

}  // namespace

std::span<const Template> ProjectTemplates() { return kTemplates; }

}  // namespace flyball::cli
