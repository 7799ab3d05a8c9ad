// What only a storage on disk does: it is locked, it can be full, and somebody may have been at it.

#include "flyball/sandbox/storage/storage_file.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/sandbox/internal/scratch_storage.h"
#include "flyball/sandbox/storage/sqlite.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string ReadAll(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteAll(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

class StorageFileTest : public ::testing::Test {
 protected:
  /// The error of opening the folder, which must be one, and must leave the file as it is.
  Error FailToOpen(Storage::Options options = {}) {
    options.folder = folder();
    const std::string before = ReadAll(file());
    const auto opened = Storage::Open(executor_, options, {});
    EXPECT_EQ(ReadAll(file()), before);
    return opened ? Error(ErrorCode::kInternal, "it opened") : opened.error();
  }
  void RunSql(const std::string& sql) {
    std::filesystem::create_directories(folder());
    auto database = Database::Open(file());
    ASSERT_TRUE(database.has_value()) << database.error().Describe();
    const auto run = database->Run(sql);
    ASSERT_TRUE(run.has_value()) << run.error().Describe();
    database->TidyUpOnClose();
  }
  std::filesystem::path folder() const { return test_folder_.path() + "/data"; }
  std::filesystem::path file() const { return folder() / "storage.db"; }

  scripted::TestFolder test_folder_;
  DeterministicExecutor executor_{1};
};

TEST_F(StorageFileTest, AFolderIsOpenOnce) {
  const auto first = Storage::Open(executor_, {.folder = folder()}, {});
  ASSERT_TRUE(first.has_value()) << first.error().Describe();
  const auto second = Storage::Open(executor_, {.folder = folder()}, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error(),
            Error(ErrorCode::kConflict, file().string() + " is open in another process"));
}

TEST_F(StorageFileTest, AFolderThatCannotBeMadeIsNamed) {
  WriteAll(folder(), "a file");
  const auto opened = Storage::Open(executor_, {.folder = folder()}, {});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code(), ErrorCode::kIo);
  EXPECT_THAT(opened.error().message(), StartsWith(folder().string() + ": "));
}

TEST_F(StorageFileTest, WhatIsNoDatabaseIsLeftAlone) {
  WriteAll(file(), std::string(10'000, 'x'));
  EXPECT_EQ(FailToOpen(),
            Error(ErrorCode::kMalformed, file().string() + ": file is not a database"));
}

TEST_F(StorageFileTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  RunSql("CREATE TABLE theirs(x)");
  EXPECT_EQ(FailToOpen(),
            Error(ErrorCode::kUnsupported, file().string() + " is a database of another program"));
}

TEST_F(StorageFileTest, AnotherProgramsWriteAheadLogIsLeftAlone) {
  std::filesystem::create_directories(folder());
  {
    auto theirs = Database::Open(file());  // not tidied up: the log stays
    ASSERT_TRUE(theirs->Run("PRAGMA journal_mode=WAL; CREATE TABLE theirs(x)").has_value());
  }
  const std::string log = ReadAll(file().string() + "-wal");
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(FailToOpen().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(ReadAll(file().string() + "-wal"), log);
}

TEST_F(StorageFileTest, ALaterSchemaIsLeftAlone) {
  ASSERT_TRUE(Storage::Open(executor_, {.folder = folder()}, {}).has_value());
  RunSql("PRAGMA user_version=2");
  EXPECT_EQ(FailToOpen(),
            Error(ErrorCode::kUnsupported,
                  file().string() + " has version 2 of the schema; this build knows version 1"));
}

TEST_F(StorageFileTest, DamageIsAnErrorThatNamesTheFile) {
  {
    ScratchStorage full(true);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(full.Put("n", std::to_string(i), 0, std::string(1000, 'x')).has_value());
    }
    const std::filesystem::path from = full.folder() / "storage.db";
    full.Reopen();  // so that all is in the file, not in its log
    std::filesystem::create_directories(folder());
    std::filesystem::copy_file(from, file());
  }
  const std::string whole = ReadAll(file());
  std::size_t found = 0;
  for (std::size_t page = 0; page * 4096 < whole.size(); ++page) {
    std::string damaged = whole;
    damaged.replace(page * 4096, 4096, std::string(4096, '\xa5'));
    WriteAll(file(), damaged);
    const Error error = FailToOpen();
    if (error.code() != ErrorCode::kMalformed) continue;
    EXPECT_THAT(error.message(), StartsWith(file().string() + ": "));
    ++found;
  }
  // A page may be one that is not in use.
  EXPECT_GE(found + 2, whole.size() / 4096);
}

TEST_F(StorageFileTest, ARevisionBeyondTheNewestIsDamage) {
  ASSERT_TRUE(Storage::Open(executor_, {.folder = folder()}, {}).has_value());
  RunSql("INSERT INTO versions VALUES(9, 'pods', 'n', 'a', 0, x'00')");
  EXPECT_EQ(FailToOpen(), Error(ErrorCode::kMalformed,
                                file().string() + ": pods n/a is at revision 9, beyond 1"));
}

TEST_F(StorageFileTest, AnObjectThatCannotBeRestoredIsNamed) {
  ASSERT_TRUE(Storage::Open(executor_, {.folder = folder()}, {}).has_value());
  RunSql("INSERT INTO versions VALUES(1, 'pods', 'n', 'a', 0, x'00')");
  const Error error =
      FailToOpen({.restore = [](const StorageKey&, const std::string&) -> Result<StoredPtr> {
        return Fail(ErrorCode::kMalformed, "no pod");
      }});
  EXPECT_EQ(error, Error(ErrorCode::kMalformed, file().string() + ": pods n/a: no pod"));
}

TEST_F(StorageFileTest, RestoresObjectsByWhoeverStoredThem) {
  const auto restore = [](const StorageKey& key, const std::string& bytes) -> Result<StoredPtr> {
    return MakeBytes(ToString(key) + " " + bytes + " restored");
  };
  ScratchStorage storage(true, {.restore = restore});
  ASSERT_TRUE(storage.Put("n", "a", 0, "text").has_value());
  EXPECT_EQ(storage->Get({"pods", "n", "a"})->object->bytes(), "text");
  storage.Reopen();
  EXPECT_EQ(storage->Get({"pods", "n", "a"})->object->bytes(), "pods n/a text restored");
}

TEST_F(StorageFileTest, WritesThatFindNoRoomFailAndLaterOnesSucceedAgain) {
  ScratchStorage storage(true, {.changes_kept = 2, .largest_file = 40 * 4096});
  ASSERT_TRUE(storage.Put("n", "small", 0, "one").has_value());
  const Revision before = storage->revision();

  std::vector<Result<Entry>> outcomes;
  const auto note = [&](Result<Entry> entry) { outcomes.push_back(std::move(entry)); };
  storage->Remove({"pods", "n", "small"}, before, [](Revision) { return MakeBytes("x"); }, note);
  storage->Put({"pods", "n", "small"}, 0, [](Revision) { return MakeBytes("again"); }, note);
  storage->Put(
      {"pods", "n", "large"}, 0, [](Revision) { return MakeBytes(std::string(50 * 4096, 'x')); },
      note);
  storage.Settle();
  ASSERT_EQ(outcomes.size(), 3U);
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code(), ErrorCode::kIo);
    EXPECT_THAT(outcome.error().message(), EndsWith("storage.db: database or disk is full"));
  }
  EXPECT_EQ(storage->revision(), before);
  EXPECT_EQ(Brief(*storage->Get({"pods", "n", "small"})), "n/small@2 one");

  // What failed is no longer in the way of what is expected, and its revisions are not used again.
  EXPECT_EQ(Brief(*storage.Put("n", "small", before, "two")), "n/small@6 two");
  EXPECT_EQ(Brief(*storage.Put("n", "large", 0, "little")), "n/large@7 little");
  storage.Reopen();
  EXPECT_EQ(storage->revision(), 7);
  auto page = storage->List({.collection = "pods"});
  EXPECT_THAT(Briefs(page->entries), ElementsAre("n/large@7 little", "n/small@6 two"));
}

TEST_F(StorageFileTest, WhoeverIsRefusedFindsWhatItWasRefusedFor) {
  ScratchStorage storage(true);
  const StorageKey key{"pods", "n", "a"};
  const auto text = [](std::string_view bytes) {
    return [bytes](Revision) { return MakeBytes(std::string(bytes)); };
  };
  storage->Put(key, 0, text("first"), [](const Result<Entry>&) {});
  std::vector<std::string> found;
  storage->Put(key, 0, text("second"), [&](const Result<Entry>& refused) {
    EXPECT_EQ(refused.error().code(), ErrorCode::kAlreadyExists);
    const auto there = storage->Get(key);
    found.push_back(there ? Brief(*there) : "nothing");
    // As one does who reads again and tries once more.
    storage->Put(key, there ? there->revision : 0, text("third"),
                 [&](const Result<Entry>& put) { found.push_back(put ? Brief(*put) : "refused"); });
  });
  EXPECT_THAT(found, IsEmpty());
  storage.Settle();
  EXPECT_THAT(found, ElementsAre("n/a@2 first", "n/a@3 third"));
}

TEST_F(StorageFileTest, TheFileDoesNotGrowWithWhatIsForgotten) {
  ScratchStorage storage(true, {.changes_kept = 3, .largest_file = 40 * 4096});
  Revision revision = 0;
  for (int i = 0; i < 200; ++i) {
    const auto put = storage.Put("n", "a", revision, std::string(4096, 'x'));
    ASSERT_TRUE(put.has_value()) << i << ": " << put.error().Describe();
    revision = put->revision;
  }
  storage.Reopen();
  EXPECT_EQ(storage->Get({"pods", "n", "a"})->revision, 201);
}

TEST_F(StorageFileTest, KeepsLessAfterARestartThatIsToldSo) {
  {
    auto storage = Storage::Open(executor_, {.folder = folder()}, {});
    for (const char* name : {"a", "b", "c"}) {
      (*storage)->Put(
          {"pods", "n", name}, 0, [](Revision) { return MakeBytes("x"); },
          [](const Result<Entry>&) {});
    }
  }
  const auto storage = Storage::Open(executor_, {.changes_kept = 1, .folder = folder()}, {});
  ASSERT_TRUE(storage.has_value());
  EXPECT_EQ((*storage)->List({.collection = "pods", .at = 2}).error().code(), ErrorCode::kGone);
  EXPECT_EQ((*storage)->List({.collection = "pods", .at = 3})->entries.size(), 2U);
}

TEST_F(StorageFileTest, OthersCannotReadIt) {
  const auto storage = *Storage::Open(executor_, {.folder = folder()}, {});
  for (const std::string& path : {file().string(), file().string() + "-wal"}) {
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write)
        << path;
  }
}

TEST_F(StorageFileTest, ItCanEndWhenItsTaskWasAbandoned) {
  auto storage = *Storage::Open(executor_, {.folder = folder()}, {});
  storage->Put(
      {"pods", "n", "a"}, 0, [](Revision) { return MakeBytes("x"); },
      [&](const Result<Entry>&) { executor_.clock().SleepFor(std::chrono::hours(1)); });
  EXPECT_EQ(executor_.RunFor(std::chrono::seconds(1)).outcome,
            DeterministicExecutor::Report::Outcome::kTimeIsUp);
  executor_.Abandon();
  storage.reset();
  EXPECT_EQ((*Storage::Open(executor_, {.folder = folder()}, {}))->revision(), 2);
}

TEST_F(StorageFileTest, ATaskThatComesTooLateFindsNothingToDo) {
  auto storage = *Storage::Open(executor_, {.folder = folder()}, {});
  bool kept = false;
  storage->Put(
      {"pods", "n", "a"}, 0, [](Revision) { return MakeBytes("x"); },
      [&](const Result<Entry>& entry) { kept = entry.has_value(); });
  EXPECT_FALSE(kept);
  storage.reset();
  EXPECT_TRUE(kept);
  EXPECT_EQ(executor_.RunUntilIdle().outcome, DeterministicExecutor::Report::Outcome::kAllDone);
}

}  // namespace
}  // namespace flyball::sandbox
