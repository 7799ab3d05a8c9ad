#include "flyball/api/core/v1.h"
#include "flyball/testkit/test_cluster.h"

using flyball::core::v1::ConfigMap;

int main() {
  flyball::testkit::TestCluster cluster;
  ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = "kept";
  cluster.Create(map);
  return cluster.Get<ConfigMap>({"default", "kept"}).metadata.uid.empty() ? 1 : 0;
}
