#include "flyball/endpoints/authentication/trust_source.h"

#include <utility>

#include "flyball/endpoints/text_file.h"

namespace flyball::endpoints {
namespace {

using core::v1::ConfigMap;

const api::ObjectKey kMap{"kube-system", "extension-apiserver-authentication"};

/// Replaces authorities by those of a file, if they are others.
Result<> LoadFrom(const std::string& file, std::optional<Authorities>& authorities) {
  FLYBALL_TRY(std::string pem, ReadTextFile(file));
  if (authorities && authorities->pem == pem) return {};
  auto parsed = Authorities::Parse(std::move(pem));
  if (!parsed) return std::unexpected(parsed.error().Wrap(file));
  authorities = *std::move(parsed);
  return {};
}

ClusterTrustParts PartsOf(const TrustOptions& options, bool has_client) {
  if (options.skip_lookup || !has_client) return {};
  return {.clients = options.clients_file.empty(), .proxies = options.proxies_file.empty()};
}

}  // namespace

TrustSource::TrustSource(Deps deps, TrustOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      cluster_(PartsOf(options_, deps_.client.has_value())) {
  Trust trust;
  trust.proxy_names = options_.proxy_names;
  trust.proxy_headers = options_.proxy_headers;
  trust_ = std::make_shared<const Trust>(std::move(trust));
}

TrustSource::~TrustSource() {
  watching_.reset();
  if (informers_) informers_->Stop();
}

Result<std::unique_ptr<TrustSource>> TrustSource::Create(Deps deps, TrustOptions options) {
  std::unique_ptr<TrustSource> source(new TrustSource(std::move(deps), std::move(options)));
  FLYBALL_TRY(source->LoadFiles());
  FLYBALL_TRY(source->AskCluster());
  source->Watch();
  return source;
}

Result<> TrustSource::LoadFiles() {
  bool changed = false;
  {
    MutexLock lock(changing_);
    Trust trust = *Current();
    if (!options_.clients_file.empty()) {
      const auto loaded = LoadFrom(options_.clients_file, trust.clients);
      if (!loaded) return std::unexpected(loaded.error().Wrap("unable to load client CA provider"));
    }
    if (!options_.proxies_file.empty()) {
      const auto loaded = LoadFrom(options_.proxies_file, trust.proxies);
      if (!loaded) {
        return std::unexpected(
            loaded.error().Wrap("unable to create request header authentication config"));
      }
    }
    changed = Set(std::move(trust));
  }
  if (changed) Tell();
  return {};
}

Result<> TrustSource::AskCluster() {
  if (!options_.skip_lookup && !deps_.client) {
    deps_.log.Info(
        "No API server to look up client authorities at: certificates of clients that "
        "no file vouches for say nothing");
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
  deps_.log.Error(map.error(),
                  "Could not look up whom the cluster trusts; certificates of clients "
                  "say nothing until that can be done");
  return {};
}

void TrustSource::Watch() {
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

void TrustSource::TakeMap(const ConfigMap& map) {
  bool changed = false;
  {
    MutexLock lock(changing_);
    Trust trust = *Current();
    const auto read = ReadClusterTrust(map, cluster_, trust);
    if (!read) deps_.log.Error(read.error(), "Could not read all of whom the cluster trusts");
    changed = Set(std::move(trust));
  }
  if (changed) Tell();
}

void TrustSource::RereadFiles() {
  if (const auto loaded = LoadFiles(); !loaded) {
    deps_.log.Error(loaded.error(), "Keeping the client authorities as they were");
  }
}

bool TrustSource::Set(Trust trust) {
  auto fresh = std::make_shared<const Trust>(std::move(trust));
  MutexLock lock(mutex_);
  const bool same = trust_->AllRoots() == fresh->AllRoots();
  trust_ = std::move(fresh);
  return !same;
}

void TrustSource::Tell() {
  deps_.log.V(2).Info("Loaded other client authorities");
  MutexLock lock(telling_);
  if (changed_) changed_();
}

std::shared_ptr<const Trust> TrustSource::Current() const {
  MutexLock lock(mutex_);
  return trust_;
}

void TrustSource::OnChange(std::function<void()> changed) {
  MutexLock lock(telling_);
  changed_ = std::move(changed);
}

}  // namespace flyball::endpoints
