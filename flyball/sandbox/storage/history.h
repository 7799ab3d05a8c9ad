#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/sandbox/storage/entry.h"

namespace flyball::sandbox {

/// One collection: its objects in order, each with its versions as far back as is kept, and the
/// changes that made those, oldest first.
///
/// A version is there as long as somebody could ask for it: while it is what the object is now, or
/// was after the last change that is forgotten. So to forget the oldest change is to drop the
/// version before it, and the object as a whole if the change was its deletion and nothing came
/// after. Not thread-safe.
class History {
 public:
  struct Version {
    KeyPtr key;
    Revision revision = 0;
    bool deleted = false;
    StoredPtr object;
    std::unique_ptr<Version> before;
  };

  History() = default;
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// Adds what is newer than all that is there. What is not newer than compacted() becomes part of
  /// what was, not of the changes: that is how a history is read back.
  void Add(const KeyPtr& key, Revision revision, bool deleted, StoredPtr object);

  /// Forgets the oldest changes until there are `most`, or none up to `up_to`. The revisions of the
  /// versions that went with them are added to `dropped`, if that is given.
  void KeepNewest(std::size_t most, std::vector<Revision>* dropped);
  void Compact(Revision up_to, std::vector<Revision>* dropped);

  /// The newest version of an object, the mark of its deletion included; null if it has none.
  const Version* Newest(const Place& place) const;

  /// What the versions were at a moment, which must be kept.
  struct Listed {
    std::vector<Entry> entries;
    std::size_t remaining = 0;
  };
  Listed List(std::string_view namespace_, Revision at, const std::optional<Place>& after,
              std::size_t limit) const;

  /// Changes after `since`, up to `max` of them, of one namespace or, if that is empty, of all.
  /// Moves `since` to the last one looked at.
  std::vector<Change> ChangesAfter(Revision& since, std::string_view namespace_,
                                   std::size_t max) const;

  /// Moments before this are not kept, nor are the changes up to this.
  Revision compacted() const { return compacted_; }
  void set_compacted(Revision revision) { compacted_ = revision; }
  std::size_t changes() const { return changes_.size(); }

 private:
  struct Order {
    using is_transparent = void;
    static Place Of(const KeyPtr& key) { return PlaceOf(*key); }
    static Place Of(Place place) { return place; }
    bool operator()(const auto& a, const auto& b) const { return Compare(Of(a), Of(b)) < 0; }
  };
  using Objects = std::map<KeyPtr, std::unique_ptr<Version>, Order>;

  void ForgetOldest(std::vector<Revision>* dropped);

  Objects objects_;               // by place; the newest version owns those before it
  std::deque<Version*> changes_;  // by revision
  Revision compacted_ = 0;
};

}  // namespace flyball::sandbox
