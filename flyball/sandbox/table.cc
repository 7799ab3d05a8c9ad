#include "flyball/sandbox/table.h"

#include "flyball/api/json.h"
#include "flyball/api/json_encode.h"

namespace flyball::sandbox {
namespace {

meta::v1::TableColumnDefinition Column(std::string name, std::string format) {
  meta::v1::TableColumnDefinition column;
  column.name = std::move(name);
  column.type = "string";
  column.format = std::move(format);
  return column;
}

}  // namespace

meta::v1::Table TableOf(const Resource& /*resource*/, const std::vector<RecordPtr>& records,
                        const meta::v1::ListMeta& head, WallTime /*now*/) {
  meta::v1::Table table;
  table.kind = "Table";
  table.apiVersion = "meta.k8s.io/v1";
  table.metadata = head;
  table.columnDefinitions.push_back(Column("Name", "name"));
  table.columnDefinitions.push_back(Column("Created At", ""));
  for (const RecordPtr& record : records) {
    const api::AnyObject object = record->Decode();
    meta::v1::PartialObjectMetadata shown;
    shown.kind = "PartialObjectMetadata";
    shown.apiVersion = "meta.k8s.io/v1";
    shown.metadata = record->kind().Metadata(object);
    meta::v1::TableRow& row = table.rows.emplace_back();
    for (const std::string& cell :
         {shown.metadata.name, shown.metadata.creationTimestamp.ToString()}) {
      row.cells.push_back({api::Json(cell).ToString()});
    }
    if (auto text = api::EncodeJson(shown)) row.object.raw = *std::move(text);
  }
  return table;
}

}  // namespace flyball::sandbox
