#include "flyball/sandbox/storage/storage_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "flyball/sandbox/storage/bytes_object.h"

namespace flyball::sandbox {
namespace {

constexpr std::int64_t kApplication = 0x466c7962;  // "Flyb"
constexpr std::int64_t kSchemaVersion = 1;
constexpr std::int64_t kPageBytes = 4096;

constexpr const char* kSchema = R"(
BEGIN IMMEDIATE;
CREATE TABLE versions(revision INTEGER PRIMARY KEY, collection TEXT NOT NULL,
                      namespace TEXT NOT NULL, name TEXT NOT NULL,
                      deleted INTEGER NOT NULL, object BLOB NOT NULL) STRICT;
CREATE TABLE compacted(collection TEXT PRIMARY KEY, revision INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE newest(revision INTEGER NOT NULL) STRICT;
INSERT INTO newest VALUES(1);
)";

/// Looks at what is there, and changes nothing. True if that is nothing.
Result<bool> CheckIsOurs(Database& database, const std::string& file) {
  FLYBALL_TRY(const auto application, database.Number("PRAGMA application_id"));
  FLYBALL_TRY(const auto version, database.Number("PRAGMA user_version"));
  FLYBALL_TRY(const auto tables, database.Number("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && version == 0 && tables == 0) return true;
  if (application != kApplication) {
    return Fail(ErrorCode::kUnsupported, file + " is a database of another program");
  }
  if (version != kSchemaVersion) {
    return Fail(ErrorCode::kUnsupported, file + " has version " + std::to_string(version) +
                                             " of the schema; this build knows version " +
                                             std::to_string(kSchemaVersion));
  }
  return false;
}

/// Locks the file to the end, and makes it ready to be written.
Result<void> Prepare(Database& database, const std::string& file, const Storage::Options& options) {
  // Of two processes that start at once, the one that gets past the first of these has it.
  FLYBALL_TRY(database.Run("PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE"));
  FLYBALL_TRY(const bool empty, CheckIsOurs(database, file));
  FLYBALL_TRY(database.Run("COMMIT; PRAGMA journal_mode=WAL; PRAGMA cell_size_check=ON"));
  FLYBALL_TRY(database.Run(options.sync_every_commit ? "PRAGMA synchronous=FULL"
                                                     : "PRAGMA synchronous=NORMAL"));
  if (empty) {
    FLYBALL_TRY(database.Run(kSchema + ("PRAGMA application_id=" + std::to_string(kApplication)) +
                             ";PRAGMA user_version=" + std::to_string(kSchemaVersion) + ";COMMIT"));
  }
  if (options.largest_file != 0) {
    const auto pages = static_cast<std::int64_t>(options.largest_file) / kPageBytes;
    FLYBALL_TRY(database.Run("PRAGMA max_page_count=" + std::to_string(pages)));
  }
  database.TidyUpOnClose();
  return {};
}

/// Makes the file, if it is not there, such that others cannot read it: there will be Secrets in
/// it. Its log takes after it. Where this fails, opening it says why.
void MakePrivate(const std::filesystem::path& file) {
  // Never one that is there: to close a file gives up all locks that the process has on it.
  const int made = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0) close(made);
}

}  // namespace

Result<std::unique_ptr<StorageFile>> StorageFile::Open(const Storage::Options& options) {
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed) {
    return Fail(ErrorCode::kIo, options.folder.string() + ": " + failed.message());
  }
  const std::filesystem::path file = options.folder / "storage.db";
  MakePrivate(file);
  FLYBALL_TRY(Database database, Database::Open(file));
  FLYBALL_TRY(Prepare(database, file, options));
  FLYBALL_TRY(Statement insert, database.Prepare("INSERT INTO versions VALUES(?, ?, ?, ?, ?, ?)"));
  FLYBALL_TRY(Statement remove, database.Prepare("DELETE FROM versions WHERE revision = ?"));
  FLYBALL_TRY(Statement compact, database.Prepare("INSERT OR REPLACE INTO compacted VALUES(?, ?)"));
  FLYBALL_TRY(Statement advance, database.Prepare("UPDATE newest SET revision = ?"));
  return std::unique_ptr<StorageFile>(new StorageFile(file.string(), std::move(database),
                                                      std::move(insert), std::move(remove),
                                                      std::move(compact), std::move(advance)));
}

StorageFile::StorageFile(std::string file, Database database, Statement insert, Statement remove,
                         Statement compact, Statement advance)
    : file_(std::move(file)),
      database_(std::move(database)),
      insert_(std::move(insert)),
      remove_(std::move(remove)),
      compact_(std::move(compact)),
      advance_(std::move(advance)) {}

Result<void> StorageFile::Load(const Storage::Restore& restore, Collections& into,
                               Forgotten& forgotten) {
  FLYBALL_TRY(const Revision newest, database_.Number("SELECT revision FROM newest"));
  FLYBALL_TRY(Statement compacted, database_.Prepare("SELECT collection, revision FROM compacted"));
  for (;;) {
    FLYBALL_TRY(const bool row, compacted.Step());
    if (!row) break;
    into.RestoreCompacted(compacted.Text(0), compacted.Number(1));
  }

  FLYBALL_TRY(Statement versions, database_.Prepare("SELECT * FROM versions ORDER BY revision"));
  for (;;) {
    FLYBALL_TRY(const bool row, versions.Step());
    if (!row) break;
    Change version{.revision = versions.Number(0), .deleted = versions.Number(4) != 0};
    StorageKey key{versions.Text(1), versions.Text(2), versions.Text(3)};
    if (version.revision > newest || version.revision < 1) {
      return Fail(ErrorCode::kMalformed, file_ + ": " + ToString(key) + " is at revision " +
                                             std::to_string(version.revision) + ", beyond " +
                                             std::to_string(newest));
    }
    if (restore == nullptr) {
      version.object = MakeBytes(versions.Text(5));
    } else {
      auto restored = restore(key, versions.Text(5));
      if (!restored) return std::unexpected(restored.error().Wrap(file_ + ": " + ToString(key)));
      version.object = *std::move(restored);
    }
    version.key = std::make_shared<const StorageKey>(std::move(key));
    into.RestoreVersion(std::move(version));
  }
  into.RestoreRevision(newest, &forgotten);
  return {};
}

Result<void> StorageFile::Commit(std::span<const Change> changes, const Forgotten& forgotten) {
  Result<void> written = Write(changes, forgotten);
  if (!written) database_.RollBack();
  return written;
}

Result<void> StorageFile::Write(std::span<const Change> changes, const Forgotten& forgotten) {
  FLYBALL_TRY(database_.Run("BEGIN IMMEDIATE"));
  // First what makes room: a file that is full can be written to again.
  for (const Revision version : forgotten.versions) FLYBALL_TRY(remove_.Bind(1, version).Run());
  for (const auto& [collection, revision] : forgotten.compacted) {
    FLYBALL_TRY(compact_.Bind(1, collection).Bind(2, revision).Run());
  }
  for (const Change& change : changes) {
    FLYBALL_TRY(insert_.Bind(1, change.revision)
                    .Bind(2, change.key->collection)
                    .Bind(3, change.key->namespace_)
                    .Bind(4, change.key->name)
                    .Bind(5, std::int64_t{change.deleted})
                    .BindBytes(6, change.object->bytes())
                    .Run());
  }
  if (!changes.empty()) FLYBALL_TRY(advance_.Bind(1, changes.back().revision).Run());
  return database_.Run("COMMIT");
}

}  // namespace flyball::sandbox
