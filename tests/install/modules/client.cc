#include "flyball/base/executor.h"
#include "flyball/client/kubeconfig.h"
#include "flyball/transport/network.h"

int main() {
  flyball::RealClock clock;
  flyball::ElasticExecutor executor(clock);
  const flyball::transport::Network network(executor);
  return flyball::client::Kubeconfig::Parse("kind: Config", "here").has_value() ? 0 : 1;
}
