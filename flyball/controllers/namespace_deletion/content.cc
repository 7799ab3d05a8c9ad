#include "flyball/controllers/namespace_deletion/content.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/time.h"

namespace flyball::controllers::namespace_deletion {
namespace {

using client::Resource;
using client::ServedResource;
using core::v1::Namespace;
using core::v1::Pod;
using meta::v1::PartialObjectMetadata;
using std::chrono::seconds;

/// What discovery names may turn out not to have the verb, or not to be there any more.
bool IsNotServed(const Error& error) {
  return error.code() == ErrorCode::kMethodNotAllowed || error.code() == ErrorCode::kNotServed;
}

/// The objects go one by one, and nobody is to be told to orphan what they own: it goes as well.
meta::v1::DeleteOptions InBackground() {
  meta::v1::DeleteOptions options;
  options.propagationPolicy = "Background";
  return options;
}

bool IsPods(const ServedResource& served) { return served.resource == Resource::Of<Pod>(); }

/// An attempt to empty one namespace.
class Attempt {
 public:
  Attempt(runtime::Context& context, const Namespace& space)
      : context_(context),
        space_(space.metadata.name),
        deleted_(space.metadata.deletionTimestamp->ToWallTime()) {}

  Findings Run() {
    context_.log().V(4).Info("namespace controller - deleteAllContent", {{"namespace", space_}});
    const auto served = client::Discover(context_.client().rest());
    if (!served) {
      findings_.discovery_failure = served.error();
      return std::move(findings_);
    }
    findings_.AddUnknown(served->unknown);

    const std::vector<ServedResource> resources = Deletable(*served);
    const auto pods = std::ranges::find_if(resources, IsPods);
    if (pods != resources.end()) {
      const Remains left = Empty(*pods);
      findings_.estimate = left.estimate;
      // PARITY: the conditions do not count the pods; they say that no content remains.
      if (left.objects > 0) {
        context_.log().V(5).Info(
            "Namespace controller - pods still remain, delaying deletion of other resources",
            {{"namespace", space_}});
        return std::move(findings_);
      }
    }
    for (const ServedResource& resource : resources) {
      if (IsPods(resource)) continue;
      if (context_.stop().stop_requested()) break;
      findings_.Add(resource.resource, Empty(resource));
    }
    return std::move(findings_);
  }

 private:
  /// Deletes all objects of a resource, and says what is left of them. Failures are noted.
  Remains Empty(const ServedResource& served) {
    auto remains = TryToEmpty(served);
    if (!remains) {
      Note(served, remains.error());
      return {};
    }
    if (remains->objects > 0 && remains->estimate == seconds{}) {
      Note(served, Unexpected(space_, served.resource));
    }
    return *std::move(remains);
  }

  void Note(const ServedResource& served, const Error& error) {
    context_.log().V(5).Info(
        "Namespace controller - deleteCollection unexpected error",
        {{"namespace", space_}, {"resource", served.resource.QualifiedName()}, {"err", error}});
    findings_.failures.push_back(error);
  }

  Result<Remains> TryToEmpty(const ServedResource& served) {
    // DIVERGES: upstream deletes before it looks. Of most resources a namespace has nothing, and
    // one look that finds nothing proves as much as one after a deletion of nothing.
    FLYBALL_TRY(const auto before, List(served, 1));
    if (before && before->empty()) return Remains{};

    FLYBALL_TRY(const seconds grace, Grace(served));
    FLYBALL_TRY(DeleteAll(served));
    FLYBALL_TRY(const auto after, List(served, 0));
    if (!after) return Remains{.estimate = grace};
    if (!after->empty()) {
      context_.log().V(5).Info(
          "Namespace controller - deleteAllContentForGroupVersionResource - items remaining",
          {{"namespace", space_},
           {"resource", served.resource.QualifiedName()},
           {"items", after->size()}});
    }
    return RemainsOf(*after, grace);
  }

  /// The objects, at most so many, as far as their deletion goes; nothing if they cannot be listed.
  /// There may be very many, so the rest of them is not kept, nor all of a pod below.
  Result<std::optional<std::vector<PartialObjectMetadata>>> List(const ServedResource& served,
                                                                 int limit) {
    if (!served.Has("list")) return std::nullopt;
    meta::v1::ListOptions options;
    options.limit = limit;
    std::vector<PartialObjectMetadata> objects;
    const auto listed = context_.client()
                            .MetadataReader(served.resource)
                            .List(
                                space_, options, context_.stop(),
                                [&](const auto& object) -> Result<> {
                                  meta::v1::ObjectMeta& metadata = objects.emplace_back().metadata;
                                  metadata.namespace_ = object->metadata.namespace_;
                                  metadata.name = object->metadata.name;
                                  metadata.uid = object->metadata.uid;
                                  metadata.finalizers = object->metadata.finalizers;
                                  return {};
                                },
                                client::Unreadable::kMark);
    if (listed) return objects;
    if (IsNotServed(listed.error())) return std::nullopt;
    return std::unexpected(listed.error());
  }

  /// How long objects may take that go gracefully.
  Result<seconds> Grace(const ServedResource& served) {
    if (!IsPods(served)) return seconds{};
    seconds longest{};
    // An estimate, for which a pod that cannot be decoded does not keep the namespace.
    FLYBALL_TRY(context_.client().Reader<Pod>().List(
        space_, {}, context_.stop(),
        [&](const auto& pod) -> Result<> {
          longest = std::max(longest, GraceOf(*pod, deleted_, context_.now()));
          return {};
        },
        client::Unreadable::kMark));
    return longest;
  }

  Result<> DeleteAll(const ServedResource& served) {
    if (served.Has("deletecollection")) {
      context_.log().V(5).Info(
          "Namespace controller - deleteCollection",
          {{"namespace", space_}, {"resource", served.resource.QualifiedName()}});
      const auto deleted =
          context_.client().Metadata(served.resource).DeleteCollection(space_, InBackground());
      if (deleted || !IsNotServed(deleted.error())) return deleted;
    }
    return DeleteEach(served);
  }

  Result<> DeleteEach(const ServedResource& served) {
    FLYBALL_TRY(const auto list, List(served, 0));
    if (!list) return {};
    for (const auto& object : *list) {
      const auto deleted =
          context_.Delete(served.resource, api::IdentityOf(object), InBackground());
      if (!deleted && !IsNotServed(deleted.error())) return deleted;
    }
    return {};
  }

  runtime::Context& context_;
  const std::string space_;
  const WallTime deleted_;
  Findings findings_;
};

}  // namespace

Findings DeleteContent(runtime::Context& context, const Namespace& space) {
  return Attempt(context, space).Run();
}

}  // namespace flyball::controllers::namespace_deletion
