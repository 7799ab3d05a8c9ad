#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/api/object_identity.h"
#include "flyball/base/result.h"
#include "flyball/client/resource_reader.h"

/// Where a cache gets its objects from. All that is behind this line does not know what kind they
/// are: it is compiled once, and the typed faces in front (Informer<T>, Lister<T>) are thin.
namespace flyball::cache {

/// An object of a kind that the context knows; never changed once it is here.
using Object = std::shared_ptr<const void>;

using ObjectEvent = client::SharedEvent<void>;

/// Namespace and name.
using ObjectName = std::pair<std::string_view, std::string_view>;

/// Reads the metadata of the objects of one kind, whose type the cache does not know.
class ObjectAccessor {
 public:
  virtual ~ObjectAccessor() = default;
  virtual api::ObjectIdentity IdentityOf(const void* object) const = 0;
  /// A part of that, for those who look for an object: the rest may be elsewhere in memory.
  virtual ObjectName NameOf(const void* object) const = 0;
  /// The same object, as those see it who look at metadata alone.
  virtual std::shared_ptr<const meta::v1::PartialObjectMetadata> MetadataOf(
      const Object& object) const = 0;
  /// Whether that has all that ownership and deletion are about. Not every view has.
  virtual bool HasOwners() const = 0;
  /// Whether two states of an object are the same as far as that goes. Most changes are to other
  /// parts.
  virtual bool SameOwnership(const void* a, const void* b) const = 0;
  /// An object that has nothing but these names; null where the kind has no such objects.
  virtual Object KeyOnly(const api::ObjectIdentity& identity) const = 0;
};

/// Changes as they happen. One thread at a time.
class EventSource {
 public:
  virtual ~EventSource() = default;
  /// The next one, if it is there; nothing if it is not, or at the end, which ended() tells.
  /// kCancelled once a stop was asked for.
  virtual Result<std::optional<ObjectEvent>> TryNext() = 0;
  virtual bool ended() const = 0;
  /// The size of the next one as it came, if it is there, else 0. Tells beforehand how long
  /// TryNext(), and what is done with the object, may take.
  virtual std::size_t NextSize() = 0;
  /// Has `readable` called each time TryNext() may have something new to say; at once if it has.
  /// By any thread: it must not block.
  virtual void OnReadable(std::function<void()> readable) = 0;
};

/// Objects as a server has them, which was asked apart from what a cache reads.
struct Snapshot {
  std::string resource_version;
  std::vector<meta::v1::ObjectMeta> objects = {};
};

/// A collection on a server. One thread at a time, but for Ask(). What it starts ends, soon, when a
/// stop is asked for.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  virtual const ObjectAccessor& accessor() const = 0;
  virtual Result<meta::v1::ListMeta> List(const meta::v1::ListOptions& options,
                                          std::stop_token stop,
                                          const std::function<void(Object)>& each) = 0;
  virtual Result<std::unique_ptr<EventSource>> Watch(const meta::v1::ListOptions& options,
                                                     std::stop_token stop) = 0;
  /// Lists of one namespace, or of all that the source reads, what `options` select: the metadata
  /// of the objects and the version of the list. Any thread.
  virtual Result<Snapshot> Ask(const std::string& in_namespace,
                               const meta::v1::ListOptions& options,
                               std::stop_token stop) const = 0;
};

}  // namespace flyball::cache
