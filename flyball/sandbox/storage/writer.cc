#include "flyball/sandbox/storage/writer.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "flyball/base/check.h"

namespace flyball::sandbox {
namespace {

std::optional<Error> Refusal(const StorageKey& key, Revision is, Revision expected) {
  if (is == expected) return std::nullopt;
  if (is == 0) return Error(ErrorCode::kNotFound, ToString(key) + " is not there");
  if (expected == 0) return Error(ErrorCode::kAlreadyExists, ToString(key) + " is there already");
  return Error(ErrorCode::kConflict, ToString(key) + " is at revision " + std::to_string(is) +
                                         ", not at " + std::to_string(expected));
}

Entry EntryOf(const Change& change) { return {change.key, change.revision, change.object}; }

void Wake(const Woken& woken) {
  for (const auto& following : woken) following->wake();
}

}  // namespace

/// The right to commit, which one task has at a time. It ends when nothing is pending; in the
/// destructor only where a task is abandoned in the middle of it.
class Writer::CommitScope {
 public:
  explicit CommitScope(Writer& writer) : writer_(writer) {
    const MutexLock lock(writer_.mutex_);
    taken_ = !std::exchange(writer_.committing_, true);
  }
  ~CommitScope() {
    if (!taken_) return;
    const MutexLock lock(writer_.mutex_);
    End();
  }
  CommitScope(const CommitScope&) = delete;
  CommitScope& operator=(const CommitScope&) = delete;

  bool taken() const { return taken_; }

  /// The next batch to commit, if there is any; else the right has ended. To look and to end is one
  /// step, so that no write comes between that nobody would commit.
  bool Next(Batch& batch, Forgotten& forgotten) {
    const MutexLock lock(writer_.mutex_);
    if (writer_.pending_.empty()) {
      End();
      return false;
    }
    batch = std::exchange(writer_.pending_, {});
    forgotten = batch.changes.empty() ? Forgotten() : std::exchange(writer_.forgotten_, {});
    return true;
  }

 private:
  void End() FLYBALL_REQUIRES(writer_.mutex_) {
    taken_ = false;
    writer_.committing_ = false;
    writer_.task_started_ = false;
    writer_.commit_ended_.NotifyAll();
  }

  Writer& writer_;
  bool taken_;
};

Writer::Writer(Executor& executor, std::shared_ptr<Collections> collections,
               std::unique_ptr<StorageFile> file, Forgotten forgotten, Logger logger)
    : executor_(executor),
      collections_(std::move(collections)),
      logger_(std::move(logger)),
      file_(std::move(file)),
      newest_(collections_->revision()),
      forgotten_(std::move(forgotten)) {}

std::size_t Writer::KeyHash::operator()(const StorageKey& key) const {
  const std::hash<std::string> hash;
  return hash(key.name) * 31 + hash(key.namespace_) * 7 + hash(key.collection);
}

Writer::Head Writer::HeadOf(const StorageKey& key) const {
  if (const auto found = heads_.find(key); found != heads_.end()) return found->second;
  const std::optional<Entry> seen = collections_->Get(key);
  return seen ? Head{seen->key, seen->revision, true} : Head();
}

void Writer::Write(StorageKey key, Revision expected, bool remove, const Storage::Make& make,
                   Storage::Done done) {
  MutexLock lock(mutex_);
  Head head = HeadOf(key);
  if (auto refusal = Refusal(key, head.there ? head.revision : 0, expected)) {
    if (heads_.contains(key)) {  // so there is a task, and it will see this
      pending_.refused.push_back({std::move(done), *std::move(refusal)});
      return;
    }
    lock.Unlock();
    done(std::unexpected(*std::move(refusal)));
    return;
  }
  if (head.key == nullptr) head.key = std::make_shared<const StorageKey>(std::move(key));
  Change change{.key = std::move(head.key), .revision = ++newest_, .deleted = remove};
  change.object = make(change.revision);
  FLYBALL_CHECK(change.object != nullptr, "nothing was made to be stored");

  if (file_ == nullptr) {
    const Woken woken = collections_->Apply({&change, 1}, nullptr);
    lock.Unlock();
    done(EntryOf(change));
    Wake(woken);
    return;
  }
  heads_[*change.key] = {change.key, change.revision, !remove};
  pending_.changes.push_back(std::move(change));
  pending_.done.push_back(std::move(done));
  const bool start = !std::exchange(task_started_, true);
  lock.Unlock();
  if (start) executor_.Start("storage/commit", [self = shared_from_this()] { self->CommitAll(); });
}

void Writer::Compact(const std::string& collection, Revision up_to) {
  const MutexLock lock(mutex_);
  Forgotten forgotten;
  collections_->Compact(collection, up_to, file_ == nullptr ? nullptr : &forgotten);
  Forget(forgotten);
}

void Writer::Forget(const Forgotten& forgotten) {
  std::ranges::copy(forgotten.versions, std::back_inserter(forgotten_.versions));
  for (const auto& [collection, revision] : forgotten.compacted) {
    Revision& compacted = forgotten_.compacted[collection];
    compacted = std::max(compacted, revision);
  }
}

void Writer::CommitAll() {
  CommitScope scope(*this);
  if (!scope.taken()) return;  // who has it sees what is pending
  Batch batch;
  Forgotten forgotten;
  while (scope.Next(batch, forgotten)) CommitBatch(std::move(batch), forgotten);
}

void Writer::CommitBatch(Batch batch, const Forgotten& forgotten) {
  const auto kept = batch.changes.empty() ? Result<>() : file_->Commit(batch.changes, forgotten);
  if (!kept) {
    FailAll(std::move(batch), forgotten, kept.error());
    return;
  }
  Woken woken;
  {
    const MutexLock lock(mutex_);
    Forgotten next;
    woken = collections_->Apply(batch.changes, &next);
    Forget(next);
    for (const Change& change : batch.changes) {
      const auto head = heads_.find(*change.key);
      if (head->second.revision == change.revision) heads_.erase(head);
    }
  }
  for (std::size_t i = 0; i < batch.changes.size(); ++i) batch.done[i](EntryOf(batch.changes[i]));
  for (Refused& refused : batch.refused) refused.done(std::unexpected(std::move(refused.error)));
  Wake(woken);
}

void Writer::FailAll(Batch batch, const Forgotten& forgotten, const Error& error) {
  {
    const MutexLock lock(mutex_);
    std::ranges::move(pending_.done, std::back_inserter(batch.done));
    std::ranges::move(pending_.refused, std::back_inserter(batch.refused));
    pending_ = {};
    heads_.clear();
    Forget(forgotten);
  }
  logger_.Error(error, "Unable to persist writes", {{"writes", batch.done.size()}});
  for (Storage::Done& done : batch.done) done(std::unexpected(error));
  for (Refused& refused : batch.refused) refused.done(std::unexpected(error));
}

void Writer::Close() {
  CommitAll();
  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, commit_ended_,
                         [this]() FLYBALL_REQUIRES(mutex_) { return !committing_; });
  file_.reset();
}

}  // namespace flyball::sandbox
