#include "flyball/sandbox/table.h"

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/json_encode.h"
#include "flyball/base/check.h"
#include "flyball/base/wrapping.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/object_json.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using meta::v1::TableColumnDefinition;
using meta::v1::TableRow;
using printing::Cells;
using printing::Column;
using printing::Printer;

constexpr Column kPlainColumns[] = {printing::kName, {.name = "Created At", .type = "date"}};

TableColumnDefinition Definition(const Column& column) {
  TableColumnDefinition definition;
  definition.name = column.name;
  definition.type = column.type;
  definition.format = column.format;
  definition.priority = column.priority;
  return definition;
}

std::vector<TableColumnDefinition> CustomHead(const CustomVersion& custom) {
  std::vector<TableColumnDefinition> head = {Definition(printing::kName)};
  for (const CustomVersion::Column& column : custom.columns) {
    TableColumnDefinition& definition = head.emplace_back();
    definition.name = column.name;
    definition.type = column.type;
    definition.format = column.format;
    definition.description = column.description;
    definition.priority = column.priority;
  }
  return head;
}

std::vector<TableColumnDefinition> HeadOf(const Printer* printer) {
  std::vector<TableColumnDefinition> head;
  for (const Column& column : printer != nullptr ? printer->columns : kPlainColumns) {
    head.push_back(Definition(column));
  }
  return head;
}

std::vector<TableColumnDefinition> HeadOf(const Resource& resource) {
  if (resource.custom) return CustomHead(*resource.custom);
  return HeadOf(printing::FindPrinter(resource.stored->type()));
}

meta::v1::Table EmptyTable() {
  meta::v1::Table table;
  table.kind = "Table";
  table.apiVersion = "meta.k8s.io/v1";
  return table;
}

void AddCells(const Cells& cells, TableRow& row) {
  for (const Json& cell : cells) row.cells.push_back({cell.ToString()});
}

/// PARITY: a value that is not of the column's type is null, but anything can be a string.
Json CustomCell(const std::string& type, const Json& value, WallTime now) {
  if (value.IsNull()) return {};
  const auto* const text = value.If<std::string>();
  if (type == "string") return text != nullptr ? *text : value.ToString();
  const auto* const integer = value.If<std::int64_t>();
  const auto* const number = value.If<double>();
  if (type == "integer" && integer != nullptr) return *integer;
  if (type == "integer" && number != nullptr) return TruncateToInt64(*number);
  if (type == "number" && (integer != nullptr || number != nullptr)) return value;
  if (type == "boolean" && value.If<bool>() != nullptr) return value;
  if (type == "date" && text != nullptr) {
    const auto moment = api::Time::Parse(*text);
    return moment ? printing::Since(*moment, now) : "<invalid>";
  }
  return {};
}

Cells CustomCells(const CustomVersion& custom, const Record& record, WallTime now) {
  Cells cells = {record.Field("metadata.name")};
  const auto object = Json::Parse(record.bytes());
  for (const CustomVersion::Column& column : custom.columns) {
    const Json* const value = object ? column.path.FindFirst(*object) : nullptr;
    cells.push_back(value != nullptr ? CustomCell(column.type, *value, now) : Json());
  }
  return cells;
}

Cells CellsOf(const Resource& resource, const Record& record, WallTime now) {
  if (resource.custom) return CustomCells(*resource.custom, record, now);
  const api::AnyObject object = record.Decode();
  if (const Printer* const printer = printing::FindPrinter(object.type())) {
    return printer->cells(object.get(), now);
  }
  const meta::v1::ObjectMeta& metadata = record.kind().Metadata(object);
  return {metadata.name, metadata.creationTimestamp.ToString()};
}

/// Pods that are over say so, for clients that leave them out.
std::vector<meta::v1::TableRowCondition> ConditionsOf(const Record& record) {
  if (&record.kind().type() != &core::v1::Pod::kType) return {};
  const std::string_view phase = record.Field("status.phase");
  if (phase != "Succeeded" && phase != "Failed") return {};
  meta::v1::TableRowCondition condition;
  condition.type = "Completed";
  condition.status = "True";
  condition.reason = phase;
  condition.message = phase == "Failed" ? "The pod failed." : "The pod has completed successfully.";
  return {condition};
}

}  // namespace

meta::v1::Table TableOf(const Resource& resource, const std::vector<RecordPtr>& records,
                        const meta::v1::ListMeta& head, WallTime now, TableOptions options) {
  meta::v1::Table table = EmptyTable();
  table.metadata = head;
  if (options.head_shown) table.columnDefinitions = HeadOf(resource);
  for (const RecordPtr& record : records) {
    TableRow& row = table.rows.emplace_back();
    AddCells(CellsOf(resource, *record, now), row);
    row.conditions = ConditionsOf(*record);
    if (options.included == IncludedObject::kMetadata) row.object.raw = MetadataJson(*record);
    if (options.included == IncludedObject::kWhole) {
      row.object.raw = WholeJson(*record, *resource.kind, TypeMembers::kShown);
    }
  }
  return table;
}

std::optional<meta::v1::Table> TableOf(const void* object, const api::TypeInfo& type,
                                       WallTime now) {
  const Printer* const printer = printing::FindPrinter(type);
  if (printer == nullptr) return std::nullopt;
  meta::v1::Table table = EmptyTable();
  table.columnDefinitions = HeadOf(printer);
  TableRow& row = table.rows.emplace_back();
  AddCells(printer->cells(object, now), row);
  std::string text;
  const auto encoded = api::EncodeJson(object, type, text);
  FLYBALL_CHECK(encoded, encoded.error().Describe());
  const auto tree = Json::Parse(text);
  Json::Object partial;
  partial["kind"] = "PartialObjectMetadata";
  partial["apiVersion"] = "meta.k8s.io/v1";
  partial["metadata"] = *tree->Find("metadata");
  row.object.raw = Json(std::move(partial)).ToString();
  return table;
}

}  // namespace flyball::sandbox
