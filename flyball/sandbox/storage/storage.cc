#include "flyball/sandbox/storage/storage.h"

#include <array>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/sandbox/storage/collections.h"

namespace flyball::sandbox {
namespace {

std::optional<Error> Refusal(const StorageKey& key, Revision is, Revision expected) {
  if (is == expected) return std::nullopt;
  if (expected == 0) return Error(ErrorCode::kAlreadyExists, ToString(key) + " is there already");
  if (is == 0) return Error(ErrorCode::kNotFound, ToString(key) + " is not there");
  return Error(ErrorCode::kConflict, ToString(key) + " is at revision " + std::to_string(is) +
                                         ", not at " + std::to_string(expected));
}

}  // namespace

class GroupCommit {};

Result<std::unique_ptr<Storage>> Storage::Open(Executor& /*executor*/, Options options,
                                               Logger /*logger*/) {
  auto collections = std::make_shared<Collections>(options.changes_kept);
  if (!options.folder.empty()) return Fail(ErrorCode::kUnsupported, "not there yet");
  return std::unique_ptr<Storage>(new Storage(std::move(collections), nullptr));
}

Storage::Storage(std::shared_ptr<Collections> collections, std::shared_ptr<GroupCommit> commit)
    : collections_(std::move(collections)),
      commit_(std::move(commit)),
      newest_(collections_->revision()) {}

Storage::~Storage() = default;

void Storage::Put(StorageKey key, Revision expected, Make make, Done done) {
  Write(std::move(key), expected, /*remove=*/false, make, std::move(done));
}

void Storage::Remove(StorageKey key, Revision expected, Make last, Done done) {
  Write(std::move(key), expected, /*remove=*/true, last, std::move(done));
}

void Storage::Write(StorageKey key, Revision expected, bool remove, const Make& make, Done done) {
  MutexLock lock(write_mutex_);
  const std::optional<Entry> is = collections_->Get(key);
  if (auto refusal = Refusal(key, is ? is->revision : 0, expected)) {
    lock.Unlock();
    done(std::unexpected(*std::move(refusal)));
    return;
  }
  Change change{.key = is ? is->key : std::make_shared<const StorageKey>(std::move(key)),
                .revision = ++newest_,
                .deleted = remove};
  change.object = make(change.revision);
  FLYBALL_CHECK(change.object != nullptr, "nothing was made to be stored");
  const Woken woken = collections_->Apply({&change, 1}, nullptr);
  lock.Unlock();
  done(Entry{std::move(change.key), change.revision, std::move(change.object)});
  for (const auto& following : woken) following->wake();
}

Revision Storage::revision() const { return collections_->revision(); }

std::optional<Entry> Storage::Get(const StorageKey& key) const { return collections_->Get(key); }

Result<Storage::Page> Storage::List(const Range& range) const { return collections_->List(range); }

Result<std::unique_ptr<Storage::Follower>> Storage::Follow(std::string collection,
                                                           std::string namespace_, Revision since,
                                                           std::function<void()> wake) {
  FLYBALL_TRY(auto following, collections_->Follow(std::move(collection), std::move(namespace_),
                                                   since, std::move(wake)));
  return std::make_unique<Follower>(collections_, std::move(following));
}

void Storage::Compact(const std::string& collection, Revision up_to) {
  collections_->Compact(collection, up_to, nullptr);
}

Storage::Follower::Follower(std::shared_ptr<Collections> collections,
                            std::shared_ptr<Following> following)
    : collections_(std::move(collections)), following_(std::move(following)) {}

Storage::Follower::~Follower() { collections_->Unfollow(following_); }

Result<std::vector<Change>> Storage::Follower::Take(std::size_t max) {
  return collections_->Take(following_, max);
}

Revision Storage::Follower::revision() const { return collections_->PositionOf(*following_); }

}  // namespace flyball::sandbox
