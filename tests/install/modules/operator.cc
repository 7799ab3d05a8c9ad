#include "flyball/operator/operator.h"

#include "flyball/api/core/v1.h"

using flyball::core::v1::ConfigMap;

int main() {
  flyball::Manager manager({.name = "nobody"});
  flyball::ControllerBuilder<ConfigMap>(manager, "idle")
      .Reconcile(
          [](flyball::ReconcileContext&, const ConfigMap&) -> flyball::Result<flyball::Outcome> {
            return flyball::Outcome::Done();
          });
  return manager.controllers().size() == 1 ? 0 : 1;
}
