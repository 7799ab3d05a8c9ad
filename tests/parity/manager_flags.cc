#include "tests/parity/manager_flags.h"

#include "flyball/controllers/registry.h"

namespace flyball::parity {

std::string ControllersFlag() {
  std::string names;
  for (const controllers::Entry& entry : controllers::All()) {
    names += (names.empty() ? "" : ",") + std::string(entry.name);
  }
  return "--controllers=" + names;
}

Result<std::vector<std::string>> ManagerFlags(const cluster::ControlPlane& plane,
                                              std::uint16_t port) {
  const auto file = [&plane](const char* name) { return (plane.folder() / name).string(); };
  FLYBALL_TRY(const auto kubeconfig,
              plane.WriteKubeconfig("controller-manager",
                                    {.token = plane.TokenOf("system:kube-controller-manager")}));
  const std::string access = kubeconfig.string();
  return std::vector<std::string>{
      "--allocate-node-cidrs=true",
      "--authentication-kubeconfig=" + access,
      "--authorization-kubeconfig=" + access,
      "--bind-address=127.0.0.1",
      "--client-ca-file=" + file("authority.crt"),
      "--cluster-cidr=10.244.0.0/16",
      "--cluster-name=kubernetes",
      "--cluster-signing-cert-file=" + file("authority.crt"),
      "--cluster-signing-key-file=" + file("authority.key"),
      ControllersFlag(),
      "--kubeconfig=" + access,
      "--leader-elect=true",
      "--requestheader-client-ca-file=" + file("authority.crt"),
      "--root-ca-file=" + file("authority.crt"),
      "--service-account-private-key-file=" + file("service-accounts.key"),
      "--service-cluster-ip-range=10.0.0.0/16",
      "--use-service-account-credentials=true",
      "--secure-port=" + std::to_string(port),
      "--permit-port-sharing=true",
      // A year is too long for a test.
      "--legacy-service-account-token-clean-up-period=1s",
  };
}

}  // namespace flyball::parity
