#include "flyball/sandbox/storage/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace flyball::sandbox {
namespace {

std::unexpected<Error> FailAs(sqlite3* database, int status) {
  const char* const file = sqlite3_db_filename(database, "main");
  const std::string where = file == nullptr ? "a database" : file;
  switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Fail(ErrorCode::kConflict, where + " is open in another process");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Fail(ErrorCode::kMalformed, where + ": " + sqlite3_errmsg(database));
    default:
      return Fail(ErrorCode::kIo, where + ": " + sqlite3_errmsg(database));
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::Bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::Bind(int parameter, std::string_view text) {
  // Without a place to point to, it would be null.
  const char* const data = text.empty() ? "" : text.data();
  sqlite3_bind_text64(statement_.get(), parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBytes(int parameter, std::string_view bytes) {
  const char* const data = bytes.empty() ? "" : bytes.data();
  sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::Step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (status == SQLITE_DONE) return false;
  return FailAs(sqlite3_db_handle(statement_.get()), status);
}

Result<void> Statement::Run() {
  FLYBALL_TRY(const bool row, Step());
  if (row) sqlite3_reset(statement_.get());
  return {};
}

std::int64_t Statement::Number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::Text(int column) const {
  const void* const data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::Open(const std::filesystem::path& file) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(
      file.c_str(), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Database database(opened);
  if (status != SQLITE_OK) {
    // Where it could not be opened, it does not know its name either.
    return Fail(ErrorCode::kIo, file.string() + ": " + sqlite3_errstr(status));
  }
  sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return database;
}

void Database::TidyUpOnClose() {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  const int status = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (status != SQLITE_OK) return FailAs(database_.get(), status);
  return Statement(prepared);
}

Result<void> Database::Run(const std::string& sql) {
  const int status = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return FailAs(database_.get(), status);
  return {};
}

Result<std::int64_t> Database::Number(std::string_view sql) {
  FLYBALL_TRY(Statement statement, Prepare(sql));
  FLYBALL_TRY(const bool row, statement.Step());
  return row ? statement.Number(0) : 0;
}

void Database::RollBack() {
  if (sqlite3_get_autocommit(database_.get()) != 0) return;
  sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace flyball::sandbox
