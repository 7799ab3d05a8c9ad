#include "flyball/client/access_config.h"

#include <algorithm>

#include "flyball/client/internal/header_text.h"
#include "flyball/client/internal/read_file.h"
#include "flyball/transport/tls.h"

namespace flyball::client {
namespace {

using transport::Url;

Result<> CheckReadable(const std::string& file, const std::string& where) {
  if (file.empty()) return {};
  if (const auto text = ReadFile(file); !text) {
    return Fail(text.error().code(), where, text.error().message());
  }
  return {};
}

/// PARITY: data would win over a file, but upstream refuses what has both.
Result<> CheckNotBoth(const ConfigPlace& place, const std::string& field, const std::string& file,
                      const std::string& data) {
  if (file.empty() || data.empty()) return {};
  return Fail(ErrorCode::kInvalid, place.Of(field),
              "cannot be set together with " + field + "-data");
}

Result<> CheckExec(const KubeconfigUser& user) {
  const ExecConfig& exec = *user.exec;
  const auto invalid = [&](std::string_view field, const std::string& message) {
    return Fail(ErrorCode::kInvalid, exec.place.Of(field), message);
  };
  if (user.has_auth_provider) return invalid("", "cannot be set together with auth-provider");
  if (exec.command.empty()) return invalid("command", "must be set");
  if (exec.api_version.empty()) return invalid("apiVersion", "must be set");
  for (const auto& [name, value] : exec.env) {
    if (name.empty()) return invalid("env", "every variable must have a name");
  }
  const std::string& mode = exec.interactive_mode;
  if (mode.empty()) return invalid("interactiveMode", "must be set");
  if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    return invalid("interactiveMode", "must be Never, IfAvailable or Always");
  }
  return {};
}

Result<> CheckImpersonation(const KubeconfigUser& user) {
  const Impersonation& as = user.impersonation;
  const bool more = !as.uid.empty() || !as.groups.empty() || !as.extra.empty();
  if (more && as.user.empty()) {
    return Fail(ErrorCode::kInvalid, user.place.Of("as"),
                "must be set if as-uid, as-groups or as-user-extra is set");
  }
  const auto check = [&](const std::string& text, std::string_view field) -> Result<> {
    if (IsHeaderText(text)) return {};
    return Fail(ErrorCode::kInvalid, user.place.Of(field), "contains control characters");
  };
  FLYBALL_TRY(check(as.user, "as"));
  FLYBALL_TRY(check(as.uid, "as-uid"));
  for (const std::string& group : as.groups) FLYBALL_TRY(check(group, "as-groups"));
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) FLYBALL_TRY(check(value, "as-user-extra"));
  }
  return {};
}

Result<> CheckUser(const KubeconfigUser& user) {
  const ConfigPlace& place = user.place;
  const bool has_basic = !user.username.empty() || !user.password.empty();
  if (!user.token.empty() && has_basic) {
    return Fail(ErrorCode::kInvalid, place.Of("token"),
                "cannot be set together with username and password");
  }
  if (!user.token_file.empty() && !user.username.empty()) {
    return Fail(ErrorCode::kInvalid, place.Of("tokenFile"), "cannot be set together with username");
  }
  if (!user.client_certificate.empty() || !user.client_certificate_data.empty()) {
    FLYBALL_TRY(CheckNotBoth(place, "client-certificate", user.client_certificate,
                             user.client_certificate_data));
    FLYBALL_TRY(CheckNotBoth(place, "client-key", user.client_key, user.client_key_data));
    if (user.client_key.empty() && user.client_key_data.empty()) {
      return Fail(ErrorCode::kInvalid, place.Of("client-key"),
                  "must be set if there is a client certificate");
    }
    FLYBALL_TRY(CheckReadable(user.client_certificate, place.Of("client-certificate")));
    FLYBALL_TRY(CheckReadable(user.client_key, place.Of("client-key")));
  }
  if (user.exec) FLYBALL_TRY(CheckExec(user));
  return CheckImpersonation(user);
}

ConfigBytes Bytes(const ConfigPlace& place, const std::string& field, const std::string& file,
                  const std::string& data) {
  return {data, file, place.Of(data.empty() ? field : field + "-data")};
}

/// Takes over who we are. Only for connections over TLS: nothing secret goes over others.
Result<> AddUser(const KubeconfigUser& user, const Logger& log, AccessConfig& access) {
  const ConfigPlace& place = user.place;
  if (user.has_auth_provider) {
    return Fail(ErrorCode::kUnsupported, place.Of("auth-provider"),
                "was removed from Kubernetes; use exec with a credential plugin instead");
  }
  if (user.exec && user.exec->api_version != "client.authentication.k8s.io/v1" &&
      user.exec->api_version != "client.authentication.k8s.io/v1beta1") {
    return Fail(ErrorCode::kUnsupported, user.exec->place.Of("apiVersion"),
                "must be client.authentication.k8s.io/v1 or v1beta1");
  }
  if (!IsHeaderText(user.token)) {
    return Fail(ErrorCode::kInvalid, place.Of("token"), "contains control characters");
  }
  access.token = {user.token, user.token_file,
                  place.Of(user.token_file.empty() ? "token" : "tokenFile")};
  if (user.token.empty()) FLYBALL_TRY(CheckReadable(user.token_file, access.token.where));
  if (!user.client_certificate.empty() || !user.client_certificate_data.empty()) {
    access.client_certificate =
        Bytes(place, "client-certificate", user.client_certificate, user.client_certificate_data);
    access.client_key = Bytes(place, "client-key", user.client_key, user.client_key_data);
  }
  // What is there already counts; the plugin is for those who have nothing.
  if (access.token.empty() && access.client_certificate.empty()) access.exec = user.exec;
  if (!user.username.empty() || !user.password.empty()) {
    // DIVERGES: upstream sends them, but API servers have not taken them since 1.19.
    log.Info("Ignored username and password: API servers do not take them",
             {{"user", place.Of("")}});
  }
  return {};
}

Result<> AddCluster(const KubeconfigCluster& cluster, AccessConfig& access) {
  const ConfigPlace& place = cluster.place;
  access.tls_server_name = cluster.tls_server_name;
  access.insecure_skip_tls_verify = cluster.insecure_skip_tls_verify;
  access.certificate_authority =
      Bytes(place, "certificate-authority", cluster.certificate_authority,
            cluster.certificate_authority_data);
  if (access.insecure_skip_tls_verify && !access.certificate_authority.empty()) {
    return Fail(ErrorCode::kInvalid, place.Of("insecure-skip-tls-verify"),
                "cannot be set together with certificate-authority");
  }
  access.exec_extension = cluster.exec_extension;
  return {};
}

Result<Url> ParseServer(std::string_view text, const std::string& where) {
  text = text.substr(0, text.find_first_of("?#"));
  // PARITY: a server without a scheme is spoken to without TLS.
  auto url = Url::Parse(text, "http");
  if (!url) return Fail(url.error().code(), where, url.error().message());
  if (url->scheme != "http" && url->scheme != "https") {
    return Fail(ErrorCode::kUnsupported, where, "must begin with http:// or https://");
  }
  if (!url->path.empty() && text.find("://") == std::string_view::npos) {
    return Fail(ErrorCode::kMalformed, where,
                "must begin with http:// or https:// if it has a path");
  }
  return url;
}

Result<std::optional<Url>> ParseProxy(const KubeconfigCluster& cluster) {
  if (cluster.proxy_url.empty()) return std::nullopt;
  const std::string where = cluster.place.Of("proxy-url");
  auto url = Url::Parse(cluster.proxy_url);
  if (!url) return Fail(url.error().code(), where, url.error().message());
  if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
    return Fail(ErrorCode::kUnsupported, where, "must begin with http://, https:// or socks5://");
  }
  return *std::move(url);
}

/// The three parts that a context brings together; null where it names none.
struct Chosen {
  const KubeconfigContext* context = nullptr;
  const KubeconfigUser* user = nullptr;
  const KubeconfigCluster* cluster = nullptr;
};

Result<Chosen> Choose(const Kubeconfig& config, const AccessOverrides& overrides) {
  const bool overridden = !overrides.context.empty();
  const std::string& name = overridden ? overrides.context : config.current_context;
  Chosen chosen;
  chosen.context = config.contexts.find(name);
  if (chosen.context == nullptr && !name.empty()) {
    const ConfigPlace place{config.current_context_file, "current-context"};
    return Fail(ErrorCode::kNotFound, overridden ? "--context" : place.Of(""),
                "context \"" + name + "\" does not exist");
  }
  // PARITY: without a context, those without a name.
  const KubeconfigContext nameless;
  const KubeconfigContext& context = chosen.context == nullptr ? nameless : *chosen.context;
  chosen.user = config.users.find(context.user);
  if (chosen.user == nullptr && !context.user.empty()) {
    // DIVERGES: upstream is nobody then, and what follows are refusals that say nothing of it.
    return Fail(ErrorCode::kNotFound, context.place.Of("user"),
                "user \"" + context.user + "\" was not found for context \"" + name + "\"");
  }
  chosen.cluster = config.clusters.find(context.cluster);
  if (chosen.cluster == nullptr && !context.cluster.empty() && overrides.server.empty()) {
    return Fail(ErrorCode::kNotFound, context.place.Of("cluster"),
                "cluster \"" + context.cluster + "\" was not found for context \"" + name + "\"");
  }
  return chosen;
}

}  // namespace

Result<std::optional<AccessConfig>> ResolveAccess(const Kubeconfig& kubeconfig,
                                                  const AccessOverrides& overrides,
                                                  const Logger& log) {
  FLYBALL_TRY(const Chosen chosen, Choose(kubeconfig, overrides));
  if (chosen.user != nullptr) FLYBALL_TRY(CheckUser(*chosen.user));
  if (chosen.cluster == nullptr && overrides.server.empty()) return std::nullopt;

  KubeconfigCluster cluster;
  if (chosen.cluster != nullptr) cluster = *chosen.cluster;
  std::string server_place = cluster.place.Of("server");
  if (!overrides.server.empty()) {
    cluster.server = overrides.server;
    cluster.tls_server_name.clear();  // it was that of the other server
    server_place = "--master";
  }
  if (cluster.server.empty()) return Fail(ErrorCode::kInvalid, server_place, "must be set");
  FLYBALL_TRY(CheckNotBoth(cluster.place, "certificate-authority", cluster.certificate_authority,
                           cluster.certificate_authority_data));
  FLYBALL_TRY(
      CheckReadable(cluster.certificate_authority, cluster.place.Of("certificate-authority")));

  AccessConfig access;
  FLYBALL_TRY(access.proxy, ParseProxy(cluster));
  access.proxy_text = cluster.proxy_url;
  FLYBALL_TRY(access.server, ParseServer(cluster.server, server_place));
  access.server_text = cluster.server;
  access.disable_compression = cluster.disable_compression;
  if (chosen.context != nullptr && !chosen.context->namespace_.empty()) {
    access.namespace_ = chosen.context->namespace_;
  }
  if (chosen.user != nullptr) access.impersonation = chosen.user->impersonation;
  if (access.server.scheme == "https") {
    if (chosen.user != nullptr) FLYBALL_TRY(AddUser(*chosen.user, log, access));
    FLYBALL_TRY(AddCluster(cluster, access));
  }
  return access;
}

}  // namespace flyball::client
