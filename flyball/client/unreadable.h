#pragma once

#include <memory>
#include <string>
#include <utility>

/// Objects that a server has and that we cannot decode: present, not readable.
///
/// Such an object is kept as its metadata with nothing else, so that it is still listed by
/// namespace, label and owner: a ReplicaSet that does not see its Pods would create Pods without
/// end. What decides on more than metadata has to ask UnreadableReason() first. Nothing is written
/// to an unreadable object: what we did not understand would be lost.
namespace flyball::client {

/// Marks an object of which only the metadata could be decoded. Copies of the pointer, casts
/// included, have the mark.
template <typename T>
std::shared_ptr<const T> MarkUnreadable(std::shared_ptr<const T> metadata, std::string reason);

/// Why an object could not be decoded; null where it could, and for a null pointer.
const std::string* UnreadableReason(const std::shared_ptr<const void>& object);

/// Whether all of an object was decoded.
inline bool IsReadable(const std::shared_ptr<const void>& object) {
  return UnreadableReason(object) == nullptr;
}

/// The mark is the deleter of the shared pointer: an object that is readable has no place for it,
/// and pays nothing.
struct UnreadableMark {
  std::string reason;
  std::shared_ptr<const void> object;

  void operator()(const void*) { object.reset(); }
};

template <typename T>
std::shared_ptr<const T> MarkUnreadable(std::shared_ptr<const T> metadata, std::string reason) {
  const T* const object = metadata.get();
  return {object, UnreadableMark{std::move(reason), std::move(metadata)}};
}

inline const std::string* UnreadableReason(const std::shared_ptr<const void>& object) {
  const auto* const mark = std::get_deleter<UnreadableMark>(object);
  return mark == nullptr ? nullptr : &mark->reason;
}

}  // namespace flyball::client
