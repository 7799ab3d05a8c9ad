#include "flyball/cache/informer_factory.h"

#include <algorithm>

namespace flyball::cache {
namespace {

/// Where a resource is, which its kind's version decides too.
std::string PlaceOf(const client::Resource& resource) { return resource.Path(""); }

}  // namespace

Ref<meta::v1::PartialObjectMetadata> MetadataInformer::Get(const api::ObjectKey& key) const {
  const Object object = core_->store().Get(key.namespace_, key.name);
  return object ? core_->accessor().MetadataOf(object) : nullptr;
}

std::unique_ptr<Registration> MetadataInformer::AddHandler(std::string name,
                                                           EventHandler<Metadata> handler,
                                                           HandlerOptions options) const {
  const auto of = [accessor = &core_->accessor()](const Object& object) {
    return object ? accessor->MetadataOf(object) : nullptr;
  };
  return core_->AddHandler(std::move(name), UntypedHandler(std::move(handler), of), options);
}

InformerFactory::~InformerFactory() { Stop(); }

InformerFactory::Id InformerFactory::IdOf(const client::Resource& resource,
                                          const InformerOptions& options, std::string form) {
  return {PlaceOf(resource), options.namespace_, options.label_selector, options.field_selector,
          options.keep,      std::move(form),    options.allow_batching};
}

std::shared_ptr<InformerCore> InformerFactory::Find(Id id, const client::Resource& resource,
                                                    const InformerOptions& options,
                                                    const MakeSource& make_source) {
  MutexLock lock(mutex_);
  if (const auto found = informers_.find(id); found != informers_.end()) return found->second;
  auto informer = Add(std::move(id), resource, options, make_source);
  if (started_) informer->Start();
  return informer;
}

std::shared_ptr<InformerCore> InformerFactory::Add(Id id, const client::Resource& resource,
                                                   const InformerOptions& options,
                                                   const MakeSource& make_source) {
  InformerCore::Options core;
  // PARITY: of two that read one resource, the first has its metrics.
  if (deps_.metrics != nullptr && std::ranges::none_of(informers_, [&](const auto& informer) {
        return std::get<0>(informer.first) == std::get<0>(id);
      })) {
    core.metrics = InformerMetrics(*deps_.metrics, deps_.name, resource);
  }
  core.reflector.name = resource.QualifiedName();
  core.reflector.label_selector = options.label_selector;
  core.reflector.field_selector = options.field_selector;
  core.keep = options.keep;
  const Reflector::Deps deps{deps_.executor, deps_.timers, deps_.random,
                             deps_.log.With({{"resource", resource.QualifiedName()}})};
  auto informer = std::make_shared<InformerCore>(make_source(), deps, std::move(core));
  informers_.emplace(std::move(id), informer);
  return informer;
}

MetadataInformer InformerFactory::Metadata(const client::Resource& resource,
                                           const InformerOptions& options) {
  {
    MutexLock lock(mutex_);
    Id id = IdOf(resource, options, "");
    const auto found = std::ranges::find_if(informers_, [&](const auto& informer) {
      std::get<5>(id) = std::get<5>(informer.first);  // in whatever form
      std::get<6>(id) = std::get<6>(informer.first);  // and sooner or later
      return informer.first == id;
    });
    if (found != informers_.end()) return MetadataInformer(found->second);
  }
  return MetadataInformer(Find<meta::v1::PartialObjectMetadata>(
      resource, options, [&] { return deps_.client.MetadataReader(resource); }));
}

InformerFactory::Following InformerFactory::Follow(const client::Resource& resource,
                                                   const Follower& follower) {
  const InformerOptions options{.keep = Keep::kNames};
  const Id id = IdOf(resource, options, "followed");
  std::shared_ptr<InformerCore> source;
  bool starts = false;
  {
    MutexLock lock(mutex_);
    const auto found = std::ranges::find_if(informers_, [&](const auto& informer) {
      Id whole = informer.first;
      std::get<4>(whole) = Keep::kNames;
      std::get<5>(whole) = std::get<5>(id);
      std::get<6>(whole) = std::get<6>(id);
      return whole == id && informer.second->accessor().HasOwners();
    });
    starts = started_ && found == informers_.end();
    source = found != informers_.end() ? found->second : Add(id, resource, options, [&] {
      return std::make_unique<ReaderSource<meta::v1::PartialObjectMetadata>>(
          deps_.client.MetadataReader(resource), "");
    });
  }
  Following following{.source = source};
  const ObjectAccessor& accessor = source->accessor();
  const bool keeps_owners = source->keep() == Keep::kObjects;
  following.registration =
      source->AddHandler(follower.name,
                         [follower, &accessor, keeps_owners](const Delta& delta) {
                           if (keeps_owners && delta.kind == Delta::Kind::kUpdated &&
                               accessor.SameOwnership(delta.old.get(), delta.now.get())) {
                             return;
                           }
                           if (delta.kind == Delta::Kind::kDeleted) {
                             follower.deleted(accessor.IdentityOf(delta.old.get()));
                           } else if (delta.now) {
                             follower.stored(accessor.MetadataOf(delta.now)->metadata);
                           }
                         },
                         {.delivery = Delivery::kInline});
  // Not before it is told: names alone could not be told later.
  if (starts) source->Start();
  return following;
}

void InformerFactory::Unfollow(const client::Resource& resource) {
  const Id id = IdOf(resource, {.keep = Keep::kNames}, "followed");
  StopIf([&](const Id& other) { return other == id; });
}

std::vector<std::shared_ptr<InformerCore>> InformerFactory::All() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<InformerCore>> all;
  for (const auto& [id, informer] : informers_) all.push_back(informer);
  return all;
}

void InformerFactory::Start() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(started_, true)) return;
  }
  for (const auto& informer : All()) informer->Start();
}

bool InformerFactory::WaitForSync(const std::stop_token& stop) {
  return std::ranges::all_of(All(),
                             [&](const auto& informer) { return informer->WaitForSync(stop); });
}

void InformerFactory::Stop() {
  std::map<Id, std::shared_ptr<InformerCore>> informers;
  {
    MutexLock lock(mutex_);
    informers.swap(informers_);
  }
  for (const auto& [id, informer] : informers) informer->Stop();
}

void InformerFactory::Forget(const client::Resource& resource) {
  const std::string place = PlaceOf(resource);
  StopIf([&](const Id& id) { return std::get<0>(id) == place; });
}

void InformerFactory::StopIf(const std::function<bool(const Id&)>& chosen) {
  std::vector<std::shared_ptr<InformerCore>> stopped;
  {
    MutexLock lock(mutex_);
    std::erase_if(informers_, [&](const auto& informer) {
      if (!chosen(informer.first)) return false;
      stopped.push_back(informer.second);
      return true;
    });
  }
  for (const auto& informer : stopped) informer->Stop();
}

std::vector<InformerFactory::Status> InformerFactory::Statuses() const {
  std::vector<Status> statuses;
  for (const auto& informer : All()) {
    statuses.push_back(
        {informer->name(), informer->state(), informer->resource_version(), informer->size()});
  }
  return statuses;
}

}  // namespace flyball::cache
