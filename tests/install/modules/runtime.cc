#include "flyball/runtime/leader_elector.h"

int main() {
  const auto create = &flyball::runtime::LeaderElector::Create;
  return create != nullptr ? 0 : 1;
}
