#pragma once

// A storage for tests: in memory or in a folder that goes with it, and in few words.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/storage/bytes_object.h"
#include "flyball/sandbox/storage/storage.h"
#include "gtest/gtest.h"
#include "tests/scripted/test_folder.h"

namespace flyball::sandbox {

/// An entry or a change as a test writes it down: "shop/web@3 text".
inline std::string Brief(const Entry& entry) {
  return entry.key->namespace_ + "/" + entry.key->name + "@" + std::to_string(entry.revision) +
         " " + std::string(entry.object->bytes());
}

/// "+" created, "*" changed, "-" deleted: "*shop/web@4 now, was before".
inline std::string Brief(const Change& change) {
  const char* const what = change.deleted ? "-" : change.before == nullptr ? "+" : "*";
  const std::string was =
      change.before == nullptr ? "" : ", was " + std::string(change.before->bytes());
  return what + Brief(Entry{change.key, change.revision, change.object}) + was;
}

template <typename T>
std::vector<std::string> Briefs(const std::vector<T>& all) {
  std::vector<std::string> briefs;
  for (const T& one : all) briefs.push_back(Brief(one));
  return briefs;
}

class ScratchStorage {
 public:
  explicit ScratchStorage(bool on_disk, Storage::Options options = {})
      : options_(std::move(options)) {
    if (on_disk) options_.folder = folder_.path() + "/data";
    Open();
  }

  Storage& operator*() { return *storage_; }
  Storage* operator->() { return storage_.get(); }

  /// As a process that ends and starts again; in memory, nothing.
  void Reopen() {
    if (options_.folder.empty()) return;
    storage_.reset();
    Open();
  }

  /// In the collection "pods", unless the test says otherwise.
  Result<Entry> Put(std::string namespace_, std::string name, Revision expected, std::string text,
                    std::string collection = "pods") {
    return Finish([&](Storage::Done done) {
      storage_->Put(
          {std::move(collection), std::move(namespace_), std::move(name)}, expected,
          [&](Revision) { return MakeBytes(text); }, std::move(done));
    });
  }
  Result<Entry> Remove(std::string namespace_, std::string name, Revision expected,
                       std::string last, std::string collection = "pods") {
    return Finish([&](Storage::Done done) {
      storage_->Remove(
          {std::move(collection), std::move(namespace_), std::move(name)}, expected,
          [&](Revision) { return MakeBytes(last); }, std::move(done));
    });
  }

  /// Lets all that is under way end.
  void Settle() {
    const auto report = executor_.RunUntilIdle();
    EXPECT_EQ(report.outcome, DeterministicExecutor::Report::Outcome::kAllDone)
        << report.Describe();
  }

  const std::filesystem::path& folder() const { return options_.folder; }
  Executor& executor() { return executor_; }

 private:
  void Open() {
    auto opened = Storage::Open(executor_, options_, {});
    ASSERT_TRUE(opened.has_value()) << opened.error().Describe();
    storage_ = *std::move(opened);
  }

  template <typename Begin>
  Result<Entry> Finish(Begin begin) {
    std::optional<Result<Entry>> outcome;
    begin([&](Result<Entry> entry) { outcome = std::move(entry); });
    Settle();
    if (!outcome) return Fail(ErrorCode::kInternal, "a write that did not end");
    return *std::move(outcome);
  }

  scripted::TestFolder folder_;
  Storage::Options options_;
  DeterministicExecutor executor_{1};
  std::unique_ptr<Storage> storage_;
};

}  // namespace flyball::sandbox
