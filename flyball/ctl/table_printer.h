#pragma once

#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/clock.h"

namespace flyball::ctl {

/// Turns the tables that a server makes of objects into lines with tabs between their cells, for a
/// TabWriter. Of tables with the same columns, headers are written once.
class TablePrinter {
 public:
  struct Options {
    bool wide = false;
    bool no_headers = false;
    bool with_namespace = false;
    bool show_labels = false;
    std::vector<std::string> label_columns = {};
    std::string kind = {};  ///< stands before each name: "deployment.apps"
  };

  explicit TablePrinter(Options options) : options_(std::move(options)) {}

  std::string Print(const api::Json& table);

 private:
  struct Column {
    std::string name;
    bool is_name = false;
    bool wide_only = false;
    friend bool operator==(const Column&, const Column&) = default;
  };
  using Row = std::vector<std::string>;

  static std::vector<Column> ColumnsOf(const api::Json& table);
  std::vector<Column> Decorate(const std::vector<Column>& columns) const;
  Row CellsOf(const api::Json& row, const std::vector<Column>& columns) const;
  std::string Lines(const std::vector<Column>& columns, const std::vector<Row>& rows,
                    bool headers) const;

  const Options options_;
  std::vector<Column> columns_;  // of the last table that had some
  bool headers_printed_ = false;
};

/// What a server would make of objects of which it has no table: their names and ages.
api::Json PlainTable(const api::Json& object_or_list, WallTime now);

}  // namespace flyball::ctl
