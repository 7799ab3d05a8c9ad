#include "flyball/sandbox/objects.h"

#include <utility>

#include "flyball/sandbox/storable.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;

/// The object with its version, encoded.
RecordPtr Encode(const std::shared_ptr<const Kind>& kind, AnyObject& object, Revision revision) {
  kind->Metadata(object).resourceVersion = std::to_string(revision);
  return std::make_shared<const Record>(kind, object);
}

/// What etcd takes, and therefore what clients may count on.
constexpr std::size_t kMaxObjectSize = std::size_t{3} << 19;

StatusOr<> CheckSize(std::size_t size) {
  if (size <= kMaxObjectSize) return {};
  return std::unexpected(TooLarge("Request is too large: the object takes " + std::to_string(size) +
                                  " bytes, and " + std::to_string(kMaxObjectSize) +
                                  " is the limit"));
}

}  // namespace

struct Objects::Attempt : Change {
  Attempt(Change change, Finish its_finish)
      : Change(std::move(change)), finish(std::move(its_finish)) {}
  Finish finish;
};

RecordPtr Objects::Find(std::string_view collection, std::string_view namespace_,
                        std::string_view name) const {
  const auto entry =
      storage_.Get({std::string(collection), std::string(namespace_), std::string(name)});
  return entry ? RecordOf(entry->object) : nullptr;
}

std::vector<RecordPtr> Objects::List(std::string_view collection,
                                     std::string_view namespace_) const {
  std::vector<RecordPtr> records;
  const auto page = storage_.List(
      {.collection = std::string(collection), .namespace_ = std::string(namespace_), .after = {}});
  if (!page) return records;
  for (const Entry& entry : page->entries) records.push_back(RecordOf(entry.object));
  return records;
}

void Objects::GuaranteedUpdate(Change change, Finish finish) {
  Try(std::make_shared<Attempt>(std::move(change), std::move(finish)));
}

void Objects::Try(const std::shared_ptr<Attempt>& attempt) {
  const auto entry = storage_.Get(attempt->key);
  const RecordPtr current = entry ? RecordOf(entry->object) : nullptr;
  auto step = attempt->decide(current);
  if (!step) return attempt->finish(std::unexpected(std::move(step).error()));
  const bool remove = step->kind == Step::WriteKind::kRemove;
  if (step->kind == Step::WriteKind::kKeep) return attempt->finish(Outcome{current});
  AnyObject& object = *step->object;
  if (!remove) {
    attempt->kind->Metadata(object).resourceVersion = current ? current->resource_version() : "";
  }
  const std::string bytes = attempt->kind->Store(object);
  const bool same = current && bytes == current->bytes();
  // It would change nothing but the version.
  if (same && !remove) return attempt->finish(Outcome{current});
  // What is removed is shown once more, and may be what an update has just made of it.
  auto fits = remove ? StatusOr<>() : CheckSize(bytes.size());
  if (fits && !same) fits = CheckStorable(*attempt->kind, object, bytes);
  if (!fits) return attempt->finish(std::unexpected(std::move(fits).error()));
  if (attempt->dry_run) {
    return attempt->finish(Outcome{std::make_shared<const Record>(attempt->kind, *step->object),
                                   /*created=*/!current, remove});
  }
  const auto make = [kind = attempt->kind, object = step->object](Revision revision) {
    return Encode(kind, *object, revision);
  };
  auto done = [this, attempt, remove, created = !current](Result<Entry> written) {
    if (written) {
      Outcome outcome{RecordOf(written->object), created, remove};
      if (observer_) observer_(attempt->key, outcome);
      return attempt->finish(std::move(outcome));
    }
    switch (written.error().code()) {
      case ErrorCode::kAlreadyExists:
      case ErrorCode::kNotFound:
      case ErrorCode::kConflict:
        return Try(attempt);  // somebody was quicker
      default:
        attempt->finish(std::unexpected(ApiStatusError(written.error())));
    }
  };
  const Revision expected = entry ? entry->revision : 0;
  if (remove) {
    storage_.Remove(attempt->key, expected, make, std::move(done));
  } else {
    storage_.Put(attempt->key, expected, make, std::move(done));
  }
}

}  // namespace flyball::sandbox
