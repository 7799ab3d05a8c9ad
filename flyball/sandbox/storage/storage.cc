#include "flyball/sandbox/storage/storage.h"

#include <utility>

#include "flyball/base/check.h"
#include "flyball/sandbox/storage/collections.h"
#include "flyball/sandbox/storage/storage_file.h"
#include "flyball/sandbox/storage/writer.h"

namespace flyball::sandbox {

Result<std::unique_ptr<Storage>> Storage::Open(Executor& executor, const Options& options,
                                               Logger logger) {
  auto collections = std::make_shared<Collections>(options.changes_kept);
  std::unique_ptr<StorageFile> file;
  Forgotten forgotten;
  if (!options.folder.empty()) {
    FLYBALL_TRY(file, StorageFile::Open(options));
    FLYBALL_TRY(file->Load(options.restore, *collections, forgotten));
    logger.Info("Opened storage",
                {{"folder", options.folder.string()}, {"revision", collections->revision()}});
  }
  auto writer = std::make_shared<Writer>(executor, collections, std::move(file),
                                         std::move(forgotten), std::move(logger));
  return std::unique_ptr<Storage>(new Storage(std::move(collections), std::move(writer)));
}

Storage::Storage(std::shared_ptr<Collections> collections, std::shared_ptr<Writer> writer)
    : collections_(std::move(collections)), writer_(std::move(writer)) {}

Storage::~Storage() { writer_->Close(); }

void Storage::Put(StorageKey key, Revision expected, const Make& make, Done done) {
  writer_->Write(std::move(key), expected, /*remove=*/false, make, std::move(done));
}

void Storage::Remove(StorageKey key, Revision expected, const Make& last, Done done) {
  FLYBALL_CHECK(expected != 0, "to remove what must not be there");
  writer_->Write(std::move(key), expected, /*remove=*/true, last, std::move(done));
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
  writer_->Compact(collection, up_to);
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
