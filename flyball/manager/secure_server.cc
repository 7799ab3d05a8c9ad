#include "flyball/manager/secure_server.h"

#include <utility>

#include "flyball/base/clock.h"
#include "flyball/base/randomness.h"
#include "flyball/client/environment.h"
#include "flyball/endpoints/default_handlers.h"
#include "flyball/manager/configz.h"
#include "flyball/manager/user_agent.h"
#include "flyball/manager/zpages.h"

namespace flyball::manager {
namespace {

using namespace std::chrono_literals;

/// Null where there is neither a kubeconfig nor a pod's service account: then no review is sent.
Result<std::unique_ptr<runtime::ApiServerConnection>> OpenReviewConnection(
    const SecureServer::Deps& deps, const std::string& kubeconfig, const std::string& name) {
  const client::Environment environment;
  auto access = kubeconfig.empty() ? client::InClusterAccess(environment, deps.log)
                                   : client::ComponentAccess(kubeconfig, "", environment, deps.log);
  if (!access && kubeconfig.empty()) {
    deps.log.Info(name == "authentication"
                      ? "failed to read in-cluster kubeconfig for delegated authentication"
                      : "failed to read in-cluster kubeconfig for delegated authorization",
                  {{"err", access.error()}, {"flag", "--" + name + "-kubeconfig"}});
    return nullptr;
  }
  FLYBALL_TRY(access);
  return runtime::ApiServerConnection::Open({.executor = deps.executor,
                                             .network = deps.network,
                                             .metrics = deps.metrics,
                                             .random = deps.random,
                                             .log = deps.log},
                                            *access, {.name = name, .user_agent = UserAgent(name)});
}

endpoints::AuthenticationInfoOptions AuthenticationInfoOptionsFrom(
    const AuthenticationOptions& options) {
  return {.clients_file = options.client_ca_file,
          .proxies_file = options.request_header.client_ca_file,
          .proxy_names = options.request_header.allowed_names,
          .proxy_headers = {.username = options.request_header.username_headers,
                            .uid = options.request_header.uid_headers,
                            .group = options.request_header.group_headers,
                            .extra_prefix = options.request_header.extra_header_prefixes},
          .skip_lookup = options.skip_lookup,
          .tolerate_lookup_failure = options.tolerate_lookup_failure};
}

Result<endpoints::SecureServingOptions> ServingFrom(const SecureServingOptions& options) {
  endpoints::SecureServingOptions serving;
  serving.bind_address = options.bind_address.text;
  serving.port = static_cast<std::uint16_t>(options.port);
  serving.certificate.files = {options.certificate_file, options.private_key_file};
  serving.certificate.folder = options.certificate_dir;
  for (const flags::NamedCertificate& named : options.named_certificates) {
    serving.certificate.named.push_back(
        {.files = {named.certificate_file, named.key_file}, .names = named.names});
  }
  FLYBALL_TRY(serving.minimum_version, endpoints::ParseTlsVersion(options.min_tls_version));
  serving.cipher_suites = options.cipher_suites;
  serving.key_exchanges = options.curve_preferences;
  serving.share_port = options.permit_port_sharing;
  serving.http2 = !options.disable_http2;
  serving.most_streams = static_cast<std::uint32_t>(options.http2_max_streams);
  return serving;
}

endpoints::HttpHandler Zpage(std::string kind, std::function<std::string()> text,
                             std::function<std::string(const std::string& version)> json) {
  return [kind = std::move(kind), text = std::move(text),
          json = std::move(json)](const endpoints::Call& call) {
    const auto form = FindZpageForm(transport::FindHeader(call.request.headers, "accept"), kind);
    if (!form) {
      return endpoints::PlainError(
          406, "only the following media types are accepted: text/plain, application/json;as=" +
                   kind + ";v=v1beta1;g=config.k8s.io");
    }
    return form->version.empty() ? endpoints::PlainText(200, text())
                                 : endpoints::JsonText(200, json(form->version));
  };
}

}  // namespace

SecureServer::SecureServer(Deps deps, const Options& options)
    : deps_(std::move(deps)),
      started_(deps_.executor.clock().WallNow()),
      access_metrics_(deps_.metrics),
      slis_(started_),
      health_({.slis = &slis_, .log = deps_.log}),
      metrics_handler_(deps_.metrics,
                       {options.metrics.disabled.begin(), options.metrics.disabled.end()}) {
  AddHandlers(options);
}

Result<std::unique_ptr<SecureServer>> SecureServer::Open(Deps deps, const Options& options,
                                                         const std::stop_token& stop) {
  std::unique_ptr<SecureServer> server(new SecureServer(std::move(deps), options));
  FLYBALL_TRY(server->OpenConnections(options));
  FLYBALL_TRY(server->FindAuthenticationInfo(options, stop));
  server->authenticator_ =
      std::make_unique<endpoints::Authenticator>(endpoints::Authenticator::Deps{
          .clock = server->deps_.executor.clock(),
          .authentication_info = [&server =
                                      *server] { return server.authentication_info_->Current(); },
          .tokens = server->tokens_.get(),
          .metrics = server->access_metrics_});
  FLYBALL_TRY(auto open, endpoints::OpenPaths::Parse(options.authorization.always_allow_paths));
  server->authorizer_ =
      std::make_unique<endpoints::Authorizer>(std::move(open), server->reviews_.get());
  server->router_ = std::make_unique<endpoints::Router>(
      endpoints::Router::Deps{.executor = server->deps_.executor,
                              .routes = server->routes_,
                              .authenticator = *server->authenticator_,
                              .authorizer = *server->authorizer_,
                              .metrics = server->access_metrics_,
                              .log = server->deps_.log});
  FLYBALL_TRY(auto serving, ServingFrom(options.secure_serving));
  FLYBALL_TRY(server->serving_,
              endpoints::SecureServing::Start({.network = server->deps_.network,
                                               .timers = server->deps_.timers,
                                               .answers = *server->router_,
                                               .authentication_info = *server->authentication_info_,
                                               .log = server->deps_.log},
                                              std::move(serving)));
  return server;
}

Result<> SecureServer::OpenConnections(const Options& options) {
  FLYBALL_TRY(authentication_,
              OpenReviewConnection(deps_, options.authentication.kubeconfig, "authentication"));
  FLYBALL_TRY(authorization_,
              OpenReviewConnection(deps_, options.authorization.kubeconfig, "authorization"));
  Clock& clock = deps_.executor.clock();
  if (authentication_ != nullptr) {
    tokens_ = std::make_unique<endpoints::TokenReviews>(
        endpoints::ReviewDeps{.client = authentication_->identity().client(),
                              .clock = clock,
                              .random = Fraction(deps_.random),
                              .metrics = access_metrics_.token_reviews,
                              .log = deps_.log},
        endpoints::TokenReviews::Options{.cache_ttl = options.authentication.token_cache_ttl},
        access_metrics_.token_cache);
  }
  if (authorization_ != nullptr) {
    reviews_ = std::make_unique<endpoints::AccessReviews>(
        endpoints::ReviewDeps{.client = authorization_->identity().client(),
                              .clock = clock,
                              .random = Fraction(deps_.random),
                              .metrics = access_metrics_.access_reviews,
                              .log = deps_.log},
        endpoints::AccessReviews::Options{.allowed_ttl = options.authorization.allow_cache_ttl,
                                          .refused_ttl = options.authorization.deny_cache_ttl});
  }
  return {};
}

// DIVERGES: upstream ends if the API server is not there, and is started again by whoever looks
// after it.
Result<> SecureServer::FindAuthenticationInfo(const Options& options, const std::stop_token& stop) {
  while (true) {
    auto authentication_info = endpoints::AuthenticationInfoSource::Create(
        {.client = authentication_ == nullptr ? std::optional<client::Client>()
                                              : std::optional(authentication_->identity().client()),
         .executor = deps_.executor,
         .timers = deps_.timers,
         .random = Fraction(deps_.random),
         .log = deps_.log},
        AuthenticationInfoOptionsFrom(options.authentication));
    if (authentication_info) {
      authentication_info_ = *std::move(authentication_info);
      return {};
    }
    if (authentication_info.error().code() != ErrorCode::kUnavailable &&
        authentication_info.error().code() != ErrorCode::kTimeout) {
      return std::unexpected(authentication_info.error());
    }
    deps_.log.Error(authentication_info.error(),
                    "Unable to load client CA bundle from the API server, retrying");
    if (!deps_.executor.clock().SleepFor(1s, stop)) {
      return Fail(ErrorCode::kCancelled, "asked to stop");
    }
  }
}

void SecureServer::AddHandlers(const Options& options) {
  endpoints::DefaultHandlers handlers = {
      .health = health_,
      .slis = slis_,
      .metrics = metrics_handler_,
      .controllers = endpoints::ControllersHandler(deps_.report_controllers),
      .trace = endpoints::TraceHandler(deps_.trace_controllers, deps_.executor.clock()),
      .profiling = options.generic.debugging.profiling,
      .log = deps_.log};
  handlers.configz = [configz = Configz(options)](const endpoints::Call&) {
    return endpoints::JsonText(200, configz);
  };
  const std::string_view separator = kZpageSeparators[deps_.random() % std::size(kZpageSeparators)];
  if (options.versions.gates.Enabled("ComponentFlagz")) {
    handlers.flagz = Zpage(
        "Flagz", [this, separator] { return FlagzText(deps_.flags, separator); },
        [this](const std::string& version) { return FlagzJson(deps_.flags, version); });
  }
  if (options.versions.gates.Enabled("ComponentStatusz")) {
    const auto facts = [this, &versions = options.versions] {
      return StatusFacts{.started = started_,
                         .now = deps_.executor.clock().WallNow(),
                         .binary_version = std::string(versions.reported().substr(1)),
                         .emulated_version = versions.gates.version().emulated.ToString(),
                         .paths = routes_.Listed()};
    };
    handlers.statusz = Zpage(
        "Statusz", [facts, separator] { return StatuszText(facts(), separator); },
        [facts](const std::string& version) { return StatuszJson(facts(), version); });
  }
  endpoints::AddDefaultHandlers(routes_, handlers);
}

}  // namespace flyball::manager
