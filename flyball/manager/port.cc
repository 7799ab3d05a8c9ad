#include "flyball/manager/port.h"

#include <utility>

#include "flyball/base/clock.h"
#include "flyball/base/randomness.h"
#include "flyball/client/environment.h"
#include "flyball/endpoints/standard_pages.h"
#include "flyball/manager/configz.h"
#include "flyball/manager/user_agent.h"
#include "flyball/manager/zpages.h"

namespace flyball::manager {
namespace {

using namespace std::chrono_literals;

/// Null where there is neither a file nor a pod around us: then nobody is asked.
Result<std::unique_ptr<runtime::Line>> OpenReviewLine(const Port::Deps& deps,
                                                      const std::string& kubeconfig,
                                                      const std::string& name) {
  const client::Environment environment;
  auto access = kubeconfig.empty() ? client::InClusterAccess(environment, deps.log)
                                   : client::ComponentAccess(kubeconfig, "", environment, deps.log);
  if (!access && kubeconfig.empty()) {
    deps.log.Info("Without --" + name +
                  "-kubeconfig, and outside of a pod, nobody can be asked about "
                  "those who send requests to the port");
    return nullptr;
  }
  FLYBALL_TRY(access);
  return runtime::Line::Open({.executor = deps.executor,
                              .network = deps.network,
                              .metrics = deps.metrics,
                              .random = deps.random,
                              .log = deps.log},
                             *access, {.name = name, .user_agent = UserAgent(name)});
}

endpoints::TrustOptions TrustFrom(const AuthenticationOptions& options) {
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

endpoints::Page Zpage(std::string kind, std::function<std::string()> text,
                      std::function<std::string(const std::string& version)> json) {
  return [kind = std::move(kind), text = std::move(text),
          json = std::move(json)](const endpoints::Call& call) {
    const auto form = FindZpageForm(transport::FindHeader(call.request.headers, "accept"), kind);
    if (!form) {
      return endpoints::PlainError(406,
                                   "There are text/plain and application/json;as=" + kind +
                                       ";v=v1beta1;g=config.k8s.io, and none of them is accepted.");
    }
    return form->version.empty() ? endpoints::PlainText(200, text())
                                 : endpoints::JsonText(200, json(form->version));
  };
}

}  // namespace

Port::Port(Deps deps, const Options& options)
    : deps_(std::move(deps)),
      started_(deps_.executor.clock().WallNow()),
      access_metrics_(deps_.metrics),
      slis_(started_),
      health_({.slis = &slis_, .log = deps_.log}),
      metrics_page_(deps_.metrics,
                    {options.metrics.disabled.begin(), options.metrics.disabled.end()}) {
  AddPages(options);
}

Result<std::unique_ptr<Port>> Port::Open(Deps deps, const Options& options,
                                         const std::stop_token& stop) {
  std::unique_ptr<Port> port(new Port(std::move(deps), options));
  FLYBALL_TRY(port->OpenLines(options));
  FLYBALL_TRY(port->FindTrust(options, stop));
  port->authenticator_ = std::make_unique<endpoints::Authenticator>(
      endpoints::Authenticator::Deps{.clock = port->deps_.executor.clock(),
                                     .trust = [&port = *port] { return port.trust_->Current(); },
                                     .tokens = port->tokens_.get(),
                                     .metrics = port->access_metrics_});
  FLYBALL_TRY(auto open, endpoints::OpenPaths::Parse(options.authorization.always_allow_paths));
  port->authorizer_ =
      std::make_unique<endpoints::Authorizer>(std::move(open), port->reviews_.get());
  port->router_ = std::make_unique<endpoints::Router>(
      endpoints::Router::Deps{.executor = port->deps_.executor,
                              .routes = port->routes_,
                              .authenticator = *port->authenticator_,
                              .authorizer = *port->authorizer_,
                              .metrics = port->access_metrics_,
                              .log = port->deps_.log});
  FLYBALL_TRY(auto serving, ServingFrom(options.secure_serving));
  FLYBALL_TRY(port->serving_, endpoints::SecureServing::Start({.network = port->deps_.network,
                                                               .timers = port->deps_.timers,
                                                               .answers = *port->router_,
                                                               .trust = *port->trust_,
                                                               .log = port->deps_.log},
                                                              std::move(serving)));
  return port;
}

Result<> Port::OpenLines(const Options& options) {
  FLYBALL_TRY(authentication_,
              OpenReviewLine(deps_, options.authentication.kubeconfig, "authentication"));
  FLYBALL_TRY(authorization_,
              OpenReviewLine(deps_, options.authorization.kubeconfig, "authorization"));
  Clock& clock = deps_.executor.clock();
  if (authentication_ != nullptr) {
    tokens_ = std::make_unique<endpoints::TokenReviews>(
        endpoints::ReviewDeps{.client = authentication_->account().client(),
                              .clock = clock,
                              .random = Fraction(deps_.random),
                              .metrics = access_metrics_.token_reviews,
                              .log = deps_.log},
        endpoints::TokenReviews::Options{.cache_ttl = options.authentication.token_cache_ttl},
        access_metrics_.token_cache);
  }
  if (authorization_ != nullptr) {
    reviews_ = std::make_unique<endpoints::AccessReviews>(
        endpoints::ReviewDeps{.client = authorization_->account().client(),
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
Result<> Port::FindTrust(const Options& options, const std::stop_token& stop) {
  while (true) {
    auto trust = endpoints::TrustSource::Create(
        {.client = authentication_ == nullptr ? std::optional<client::Client>()
                                              : std::optional(authentication_->account().client()),
         .executor = deps_.executor,
         .timers = deps_.timers,
         .random = Fraction(deps_.random),
         .log = deps_.log},
        TrustFrom(options.authentication));
    if (trust) {
      trust_ = *std::move(trust);
      return {};
    }
    if (trust.error().code() != ErrorCode::kUnavailable &&
        trust.error().code() != ErrorCode::kTimeout) {
      return std::unexpected(trust.error());
    }
    deps_.log.Error(trust.error(), "Waiting for the API server to say whom to trust");
    if (!deps_.executor.clock().SleepFor(1s, stop)) {
      return Fail(ErrorCode::kCancelled, "asked to stop");
    }
  }
}

void Port::AddPages(const Options& options) {
  endpoints::StandardPages pages = {
      .health = health_,
      .slis = slis_,
      .metrics = metrics_page_,
      .controllers = endpoints::ControllersPage(deps_.report_controllers),
      .trace = endpoints::TracePage(deps_.trace_controllers, deps_.executor.clock()),
      .profiling = options.generic.debugging.profiling,
      .log = deps_.log};
  pages.configz = [configz = Configz(options)](const endpoints::Call&) {
    return endpoints::JsonText(200, configz);
  };
  const std::string_view separator = kZpageSeparators[deps_.random() % std::size(kZpageSeparators)];
  if (options.versions.gates.Enabled("ComponentFlagz")) {
    pages.flagz = Zpage(
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
    pages.statusz = Zpage(
        "Statusz", [facts, separator] { return StatuszText(facts(), separator); },
        [facts](const std::string& version) { return StatuszJson(facts(), version); });
  }
  endpoints::AddStandardPages(routes_, pages);
}

}  // namespace flyball::manager
