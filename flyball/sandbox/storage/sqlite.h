#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace flyball::sandbox {

/// One statement of SQL, prepared once and run many times:
///
///   FLYBALL_TRY(insert.Bind(1, name).Bind(2, 7).Run());
///   while (FLYBALL_TRY(const bool row, select.Step()); row) ...
///
/// Not thread-safe, and gone before its Database is.
class Statement {
 public:
  /// Texts and bytes are borrowed until it has run.
  Statement& Bind(int parameter, std::int64_t value);
  Statement& Bind(int parameter, std::string_view text);
  Statement& BindBytes(int parameter, std::string_view bytes);

  /// True while there is another row; when there is none, it can be run again.
  Result<bool> Step();
  /// For what has no rows.
  Result<void> Run();

  std::int64_t Number(int column) const;
  std::string Text(int column) const;  ///< bytes too

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A connection to a file of SQLite. Errors name the file: kConflict where it is open elsewhere,
/// kMalformed where it is damaged or no such file, else kIo. Not thread-safe.
class Database {
 public:
  /// The file is made if it is not there. Closing leaves it as it was, whatever is in it, until
  /// TidyUpOnClose().
  static Result<Database> Open(const std::filesystem::path& file);
  void TidyUpOnClose();

  Result<Statement> Prepare(std::string_view sql);
  /// Runs statements without results that matter.
  Result<void> Run(const std::string& sql);
  /// The number that a statement has as its one result.
  Result<std::int64_t> Number(std::string_view sql);
  /// Takes back a transaction, if one is under way.
  void RollBack();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace flyball::sandbox
