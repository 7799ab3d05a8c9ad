#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "flyball/api/object.h"
#include "flyball/base/executor.h"
#include "flyball/sandbox/kinds/service_ranges.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/rest_strategy.h"
#include "flyball/sandbox/storage/storage.h"

namespace flyball::sandbox {

/// What a write does to an object in storage.
struct Step {
  enum class WriteKind : std::uint8_t { kKeep, kPut, kRemove };
  WriteKind kind = WriteKind::kKeep;
  /// As it is from now on, or was last; its version is set where it is stored.
  std::shared_ptr<api::AnyObject> object = {};

  static Step Keep() { return {}; }
  static Step Put(api::AnyObject object) {
    return {WriteKind::kPut, std::make_shared<api::AnyObject>(std::move(object))};
  }
  static Step Remove(api::AnyObject last) {
    return {WriteKind::kRemove, std::make_shared<api::AnyObject>(std::move(last))};
  }
};

/// What came of it.
struct Outcome {
  RecordPtr record;  ///< as it is now, or was last
  bool created = false;
  bool removed = false;
};

/// The objects in storage, and the one way to change them. Any thread.
class Objects final : public StrategyContext {
 public:
  Objects(Storage& storage, Clock& clock, api::RandomBits random,
          const ServiceRanges::Options& ranges = {})
      : storage_(storage), clock_(clock), random_(std::move(random)), ranges_(ranges) {}

  RecordPtr Find(std::string_view collection, std::string_view namespace_,
                 std::string_view name) const override;
  std::vector<RecordPtr> List(std::string_view collection,
                              std::string_view namespace_) const override;
  WallTime Now() const override { return clock_.WallNow(); }
  const api::RandomBits& random() const override { return random_; }
  ServiceRanges& ranges() const override { return ranges_; }

  /// Decides what becomes of an object, given what it is now, which may be nothing. May be called
  /// again if somebody else was quicker, so it changes nothing by itself.
  using Decide = std::function<StatusOr<Step>(const RecordPtr& current)>;
  using Finish = std::move_only_function<void(StatusOr<Outcome>)>;

  struct Change {
    StorageKey key;
    std::shared_ptr<const Kind> kind;
    Decide decide;
    bool dry_run = false;  ///< nothing is written
  };
  /// Reads, decides and writes, again if another write came in between (etcd3's GuaranteedUpdate).
  /// `finish` is called once the write is durable, perhaps before this returns, perhaps on another
  /// thread.
  void GuaranteedUpdate(Change change, Finish finish);

  /// Called with every change, when it is durable and before the one who asked for it is told. Set
  /// before the first GuaranteedUpdate().
  using Observer = std::function<void(const StorageKey& key, const Outcome& outcome)>;
  void set_observer(Observer observer) { observer_ = std::move(observer); }

  Storage& storage() { return storage_; }
  Clock& clock() const { return clock_; }

 private:
  struct Attempt;
  void Try(const std::shared_ptr<Attempt>& attempt);

  Storage& storage_;
  Clock& clock_;
  const api::RandomBits random_;
  mutable ServiceRanges ranges_;  // has a lock of its own
  Observer observer_;
};

}  // namespace flyball::sandbox
