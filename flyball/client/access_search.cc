// Where an AccessConfig is looked for, and in which order.
#include <algorithm>
#include <cctype>

#include "flyball/client/access_config.h"
#include "flyball/client/internal/header_text.h"
#include "flyball/client/internal/read_file.h"
#include "flyball/client/proxy_environment.h"
#include "flyball/transport/tls.h"

namespace flyball::client {
namespace {

constexpr std::string_view kNothing =
    "no configuration has been provided: give a kubeconfig or the API server's address, or run in "
    "a pod";

std::string TokenFile(const Environment& environment) {
  return environment.service_account + "/token";
}

bool InClusterIsPossible(const Environment& environment) {
  return !environment.variable("KUBERNETES_SERVICE_HOST").empty() &&
         !environment.variable("KUBERNETES_SERVICE_PORT").empty() &&
         ReadFile(TokenFile(environment)).has_value();
}

std::string InClusterNamespace(const Environment& environment) {
  if (std::string name = environment.variable("POD_NAMESPACE"); !name.empty()) return name;
  const auto text = ReadFile(environment.service_account + "/namespace");
  const std::string name(text ? TrimSpace(*text) : "");
  return name.empty() ? "default" : name;
}

Result<> CheckRoots(const std::string& file) {
  FLYBALL_TRY(const std::string roots, ReadFile(file));
  if (roots.empty()) return Fail(ErrorCode::kMalformed, "file is empty");
  return transport::CheckTlsOptions({.roots = roots});
}

/// Unless the configuration names a proxy, the environment may.
/// DIVERGES: upstream goes without a proxy whose address does not parse.
Result<> AddProxy(const Environment& environment, AccessConfig& access) {
  if (access.proxy) return {};
  FLYBALL_TRY(access.proxy, ProxyFromEnvironment(environment, access.server));
  return {};
}

/// What the files say; if that is nothing, what a pod has.
Result<AccessConfig> ResolveOrInCluster(const Kubeconfig& kubeconfig,
                                        const AccessOverrides& overrides,
                                        const Environment& environment, const Logger& log) {
  FLYBALL_TRY(auto access, ResolveAccess(kubeconfig, overrides, log));
  const bool in_pod = InClusterIsPossible(environment);
  if (!access && in_pod) {
    log.V(4).Info("Using in-cluster configuration");
    return InClusterAccess(environment, log);
  }
  if (!access) return Fail(ErrorCode::kNotFound, std::string(kNothing));
  const std::string& name =
      overrides.context.empty() ? kubeconfig.current_context : overrides.context;
  const KubeconfigContext* const context = kubeconfig.contexts.find(name);
  const bool said = context != nullptr && !context->namespace_.empty();
  if (!said && in_pod) access->namespace_ = InClusterNamespace(environment);
  FLYBALL_TRY(AddProxy(environment, *access));
  return *std::move(access);
}

}  // namespace

Result<AccessConfig> InClusterAccess(const Environment& environment, const Logger& log) {
  const std::string host = environment.variable("KUBERNETES_SERVICE_HOST");
  const std::string port = environment.variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Fail(ErrorCode::kNotFound,
                "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
                "KUBERNETES_SERVICE_PORT must be defined");
  }
  const bool brackets = host.find(':') != std::string::npos;
  AccessConfig access;
  access.server_text = "https://" + (brackets ? "[" + host + "]" : host) + ":" + port;
  auto server = transport::Url::Parse(access.server_text);
  if (!server) {
    return Fail(server.error().code(), "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT",
                server.error().message());
  }
  access.server = *std::move(server);
  access.namespace_ = InClusterNamespace(environment);
  access.token = {"", TokenFile(environment), "the service account's token"};
  FLYBALL_TRY(ReadFile(access.token.file));

  const std::string file = environment.service_account + "/ca.crt";
  const auto usable = CheckRoots(file);
  if (usable) {
    access.certificate_authority = {"", file, "the service account's certificate authority"};
  } else {
    // PARITY: tries its luck with those the system trusts.
    log.Error(usable.error(), "Expected to load root CA config", {{"file", file}});
  }
  FLYBALL_TRY(AddProxy(environment, access));
  return access;
}

Result<AccessConfig> ComponentAccess(const std::string& kubeconfig, const std::string& master,
                                     const Environment& environment, const Logger& log) {
  if (kubeconfig.empty() && master.empty()) {
    log.Info(
        "Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might "
        "not work.");
    auto access = InClusterAccess(environment, log);
    if (access) return access;
    return std::unexpected(access.error().Wrap(kNothing));
  }
  Kubeconfig config;
  if (!kubeconfig.empty()) {
    FLYBALL_TRY(config, Kubeconfig::Load(kubeconfig));
  }
  return ResolveOrInCluster(config, {.context = "", .server = master}, environment, log);
}

Result<AccessConfig> ToolAccess(const std::string& kubeconfig, const AccessOverrides& overrides,
                                const Environment& environment, const Logger& log) {
  auto config = kubeconfig.empty()
                    ? Kubeconfig::LoadMerged(DefaultKubeconfigFiles(environment), log)
                    : Kubeconfig::Load(kubeconfig);
  if (!config) return std::unexpected(std::move(config).error());
  return ResolveOrInCluster(*config, overrides, environment, log);
}

}  // namespace flyball::client
