#include "flyball/ctl/table_printer.h"

#include <algorithm>
#include <utility>

#include "flyball/api/human_duration.h"
#include "flyball/api/time.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/object_printer.h"

namespace flyball::ctl {
namespace {

using api::Json;

std::string InUpperCase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

/// A line of its own in a table is not a cell's to begin.
std::string Shown(const std::string& cell) {
  const std::size_t end = cell.find_first_of("\n\r\f");
  if (end == std::string::npos) return EscapeTerminal(cell);
  return EscapeTerminal(cell.substr(0, end)) + "...";
}

std::string LabelsText(const Json::Object& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += (text.empty() ? "" : ",") + name + "=" + GoText(value);
  }
  return text.empty() ? "<none>" : text;
}

}  // namespace

std::vector<TablePrinter::Column> TablePrinter::ColumnsOf(const Json& table) {
  std::vector<Column> columns;
  for (const Json& definition : ListAt(table, {"columnDefinitions"})) {
    columns.push_back({.name = TextAt(definition, {"name"}),
                       .is_name = TextAt(definition, {"format"}) == "name" &&
                                  TextAt(definition, {"type"}) == "string",
                       .wide_only = NumberAt(definition, {"priority"}) != 0});
  }
  return columns;
}

std::vector<TablePrinter::Column> TablePrinter::Decorate(const std::vector<Column>& columns) const {
  std::vector<Column> all;
  if (options_.with_namespace) all.push_back({.name = "Namespace"});
  all.insert(all.end(), columns.begin(), columns.end());
  for (const std::string& label : options_.label_columns) {
    all.push_back({.name = label.substr(label.rfind('/') + 1)});
  }
  if (options_.show_labels) all.push_back({.name = "Labels"});
  return all;
}

TablePrinter::Row TablePrinter::CellsOf(const Json& row, const std::vector<Column>& columns) const {
  Row cells;
  if (options_.with_namespace) cells.push_back(TextAt(row, {"object", "metadata", "namespace"}));
  const Json::Array& given = ListAt(row, {"cells"});
  const auto name = std::ranges::find(columns, true, &Column::is_name);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool there = i < given.size() && !given[i].IsNull();
    std::string cell = there ? GoText(given[i]) : "";
    if (!options_.kind.empty() && name != columns.end() && &columns[i] == &*name) {
      cell.insert(0, options_.kind + "/");
    }
    cells.push_back(std::move(cell));
  }
  const Json::Object& labels = MembersAt(row, {"object", "metadata", "labels"});
  for (const std::string& label : options_.label_columns) {
    const Json* const value = labels.find(label);
    cells.push_back(value == nullptr ? "" : GoText(*value));
  }
  if (options_.show_labels) cells.push_back(LabelsText(labels));
  return cells;
}

std::string TablePrinter::Lines(const std::vector<Column>& columns, const std::vector<Row>& rows,
                                bool headers) const {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (options_.wide || !columns[i].wide_only) shown.push_back(i);
  }
  std::string text;
  const auto end_cell = [&](std::size_t i) { text += i == shown.back() ? '\n' : '\t'; };
  if (headers) {
    for (const std::size_t i : shown) {
      std::size_t width = 0;
      for (const Row& row : rows) width = std::max(width, row[i].size());
      const std::string name = InUpperCase(columns[i].name);
      text += name;
      // PARITY: room for what a cell holds, also where only its first line is shown.
      if (i != shown.back() && width > name.size()) text.append(width - name.size(), ' ');
      end_cell(i);
    }
  }
  for (const Row& row : rows) {
    for (const std::size_t i : shown) {
      text += Shown(row[i]);
      end_cell(i);
    }
  }
  return text;
}

std::string TablePrinter::Print(const Json& table) {
  // A watch tells its columns once.
  if (auto columns = ColumnsOf(table); !columns.empty() && columns != columns_) {
    columns_ = std::move(columns);
    headers_printed_ = false;
  }
  std::vector<Row> rows;
  for (const Json& row : ListAt(table, {"rows"})) rows.push_back(CellsOf(row, columns_));
  if (rows.empty() || columns_.empty()) return {};
  const bool headers = !options_.no_headers && !std::exchange(headers_printed_, true);
  return Lines(Decorate(columns_), rows, headers);
}

Json PlainTable(const Json& object_or_list, WallTime now) {
  Json::Array rows;
  const auto add = [&](const Json& object) {
    const auto created = api::Time::Parse(TextAt(object, {"metadata", "creationTimestamp"}));
    const std::string age = created ? api::HumanDuration(api::Time(now) - *created) : "<unknown>";
    rows.push_back(Json::Object{{"cells", Json::Array{NameOf(object), age}}, {"object", object}});
  };
  if (object_or_list.Find("items") != nullptr) {
    std::ranges::for_each(ListAt(object_or_list, {"items"}), add);
  } else {
    add(object_or_list);
  }
  const Json::Object name{{"name", "Name"}, {"type", "string"}, {"format", "name"}};
  const Json::Object age{{"name", "Age"}, {"type", "string"}};
  return Json::Object{{"columnDefinitions", Json::Array{name, age}}, {"rows", std::move(rows)}};
}

}  // namespace flyball::ctl
