#include "flyball/endpoints/authentication/authentication_info_source.h"

#include <utility>

#include "flyball/endpoints/text_file.h"

namespace flyball::endpoints {
namespace {

using core::v1::ConfigMap;

const api::ObjectKey kMap{"kube-system", "extension-apiserver-authentication"};

/// Replaces a bundle by that of a file, if it differs.
Result<> LoadFrom(const std::string& file, std::optional<CaBundle>& bundle) {
  FLYBALL_TRY(std::string pem, ReadTextFile(file));
  if (bundle && bundle->pem == pem) return {};
  auto parsed = CaBundle::Parse(std::move(pem));
  if (!parsed) return std::unexpected(parsed.error().Wrap(file));
  bundle = *std::move(parsed);
  return {};
}

ClusterAuthenticationParts PartsOf(const AuthenticationInfoOptions& options, bool has_client) {
  if (options.skip_lookup || !has_client) return {};
  return {.clients = options.clients_file.empty(), .proxies = options.proxies_file.empty()};
}

}  // namespace

AuthenticationInfoSource::AuthenticationInfoSource(Deps deps, AuthenticationInfoOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      cluster_(PartsOf(options_, deps_.client.has_value())) {
  ClusterAuthenticationInfo authentication_info;
  authentication_info.proxy_names = options_.proxy_names;
  authentication_info.proxy_headers = options_.proxy_headers;
  authentication_info_ =
      std::make_shared<const ClusterAuthenticationInfo>(std::move(authentication_info));
}

AuthenticationInfoSource::~AuthenticationInfoSource() {
  watching_.reset();
  if (informers_) informers_->Stop();
}

Result<std::unique_ptr<AuthenticationInfoSource>> AuthenticationInfoSource::Create(
    Deps deps, AuthenticationInfoOptions options) {
  std::unique_ptr<AuthenticationInfoSource> source(
      new AuthenticationInfoSource(std::move(deps), std::move(options)));
  FLYBALL_TRY(source->LoadFiles());
  FLYBALL_TRY(source->AskCluster());
  source->Watch();
  return source;
}

Result<> AuthenticationInfoSource::LoadFiles() {
  bool changed = false;
  {
    MutexLock lock(changing_);
    ClusterAuthenticationInfo authentication_info = *Current();
    if (!options_.clients_file.empty()) {
      const auto loaded = LoadFrom(options_.clients_file, authentication_info.clients);
      if (!loaded) return std::unexpected(loaded.error().Wrap("unable to load client CA provider"));
    }
    if (!options_.proxies_file.empty()) {
      const auto loaded = LoadFrom(options_.proxies_file, authentication_info.proxies);
      if (!loaded) {
        return std::unexpected(
            loaded.error().Wrap("unable to create request header authentication config"));
      }
    }
    changed = Set(std::move(authentication_info));
  }
  if (changed) Tell();
  return {};
}

Result<> AuthenticationInfoSource::AskCluster() {
  if (!options_.skip_lookup && !deps_.client) {
    deps_.log.Info(
        "No authentication-kubeconfig provided in order to lookup client-ca-file, so client "
        "certificate authentication won't work",
        {{"configMap", kMap}});
  }
  if (!cluster_.clients && !cluster_.proxies) return {};
  const auto map = deps_.client->Of<ConfigMap>().Get(kMap);
  if (map) {
    TakeMap(*map);
    return {};
  }
  const bool bearable = map.error().code() == ErrorCode::kNotFound || !cluster_.proxies ||
                        options_.tolerate_lookup_failure;
  if (!bearable) {
    return std::unexpected(
        map.error().Wrap("unable to load configmap based request-header-client-ca-file"));
  }
  deps_.log.Error(map.error(), "Error looking up in-cluster authentication configuration",
                  {{"configMap", kMap},
                   {"consequence", "client certificates are not trusted until it can be read"}});
  return {};
}

void AuthenticationInfoSource::Watch() {
  if (!cluster_.clients && !cluster_.proxies) return;
  informers_.emplace(cache::InformerFactory::Deps{.client = *deps_.client,
                                                  .executor = deps_.executor,
                                                  .timers = deps_.timers,
                                                  .random = deps_.random,
                                                  .log = deps_.log});
  const auto maps = informers_->Of<ConfigMap>(
      {.namespace_ = kMap.namespace_, .field_selector = "metadata.name=" + kMap.name});
  using Map = cache::Ref<ConfigMap>;
  watching_ = maps.AddHandler("client-authorities",
                              {.added = [this](const Map& now, bool) { TakeMap(*now); },
                               .updated = [this](const Map&, const Map& now) { TakeMap(*now); }});
  informers_->Start();
}

void AuthenticationInfoSource::TakeMap(const ConfigMap& map) {
  bool changed = false;
  {
    MutexLock lock(changing_);
    ClusterAuthenticationInfo authentication_info = *Current();
    const auto read = ReadClusterAuthenticationInfo(map, cluster_, authentication_info);
    if (!read) {
      deps_.log.Error(read.error(), "Unable to load client CA bundle",
                      {{"configMap", api::KObj(map)}});
    }
    changed = Set(std::move(authentication_info));
  }
  if (changed) Tell();
}

void AuthenticationInfoSource::RereadFiles() {
  if (const auto loaded = LoadFiles(); !loaded) {
    deps_.log.Error(loaded.error(), "Unable to reload client CA bundle, keeping the last one");
  }
}

bool AuthenticationInfoSource::Set(ClusterAuthenticationInfo authentication_info) {
  auto fresh = std::make_shared<const ClusterAuthenticationInfo>(std::move(authentication_info));
  MutexLock lock(mutex_);
  const bool same = authentication_info_->AllRoots() == fresh->AllRoots();
  authentication_info_ = std::move(fresh);
  return !same;
}

void AuthenticationInfoSource::Tell() {
  deps_.log.V(2).Info("Loaded a new CA Bundle and Verifier", {{"name", "client-ca-bundle"}});
  MutexLock lock(telling_);
  if (changed_) changed_();
}

std::shared_ptr<const ClusterAuthenticationInfo> AuthenticationInfoSource::Current() const {
  MutexLock lock(mutex_);
  return authentication_info_;
}

void AuthenticationInfoSource::OnChange(std::function<void()> changed) {
  MutexLock lock(telling_);
  changed_ = std::move(changed);
}

}  // namespace flyball::endpoints
