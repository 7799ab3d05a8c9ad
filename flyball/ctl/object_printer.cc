#include "flyball/ctl/object_printer.h"

#include "flyball/api/json_writer.h"
#include "flyball/api/yaml_writer.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl {
namespace {

using api::Json;

bool IsList(const Json& object) {
  const Json* const items = object.Find("items");
  return TextAt(object, {"kind"}).ends_with("List") && items != nullptr &&
         items->If<Json::Array>() != nullptr;
}

/// The items of a list, or the one object.
std::vector<const Json*> ObjectsIn(const Json& object) {
  if (!IsList(object)) return {&object};
  std::vector<const Json*> objects;
  for (const Json& item : ListAt(object, {"items"})) objects.push_back(&item);
  return objects;
}

Json WithoutManagedFields(Json object) {
  RemoveField(object, {"metadata", "managedFields"});
  if (!IsList(object)) return object;
  for (Json& item : *MakeField(object, {"items"}).If<Json::Array>()) {
    RemoveField(item, {"metadata", "managedFields"});
  }
  return object;
}

Result<std::vector<std::pair<std::string, JsonTemplate>>> ParseColumns(std::string_view text) {
  std::vector<std::pair<std::string, JsonTemplate>> columns;
  while (!text.empty()) {
    const std::string column(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), column.size() + 1));
    const std::size_t colon = column.find(':');
    if (colon == std::string::npos) {
      return std::unexpected(UsageError("unexpected custom-columns spec: " + column +
                                        ", expected <header>:<json-path-expr>"));
    }
    FLYBALL_TRY(JsonTemplate path, JsonTemplate::ParseRelaxed(column.substr(colon + 1)));
    columns.emplace_back(column.substr(0, colon), std::move(path));
  }
  if (columns.empty()) {
    return std::unexpected(
        UsageError("custom-columns format specified but no custom columns given"));
  }
  return columns;
}

Result<std::string> CellOf(const JsonTemplate& path, const Json& object) {
  FLYBALL_TRY(const std::vector<Json> values, path.Find(object));
  if (values.empty()) return "<none>";
  std::string cell;
  for (const Json& value : values) {
    if (&value != &values.front()) cell += ",";
    cell += EscapeTerminal(GoText(value));
  }
  return cell;
}

}  // namespace

Result<OutputFormat> OutputFormat::Parse(std::string_view text) {
  constexpr std::pair<std::string_view, Kind> kNames[] = {
      {"", Kind::kTable},
      {"wide", Kind::kWide},
      {"name", Kind::kName},
      {"json", Kind::kJson},
      {"yaml", Kind::kYaml},
      {"jsonpath", Kind::kJsonPath},
      {"custom-columns", Kind::kColumns},
  };
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  for (const auto& [known, kind] : kNames) {
    const bool takes_argument = kind == Kind::kJsonPath || kind == Kind::kColumns;
    if (name != known || (equals != std::string_view::npos && !takes_argument)) continue;
    OutputFormat format{kind};
    if (equals != std::string_view::npos) format.argument = text.substr(equals + 1);
    return format;
  }
  return std::unexpected(UsageError("unable to match a printer suitable for the output format \"" +
                                    std::string(text) +
                                    "\", allowed formats are: "
                                    "custom-columns,json,jsonpath,name,wide,yaml"));
}

Result<ObjectPrinter> ObjectPrinter::Make(const OutputFormat& format, Options options) {
  ObjectPrinter printer(format.kind, options);
  if (format.kind == OutputFormat::Kind::kColumns) {
    FLYBALL_TRY(printer.columns_, ParseColumns(format.argument));
  }
  if (format.kind == OutputFormat::Kind::kJsonPath) {
    if (format.argument.empty()) {
      return std::unexpected(UsageError("template format specified but no template given"));
    }
    FLYBALL_TRY(printer.template_, JsonTemplate::Parse(format.argument));
  }
  return printer;
}

Result<std::string> ObjectPrinter::Print(const Json& object) {
  const bool first = !std::exchange(printed_, true);
  const auto shown = [&] {
    return options_.show_managed_fields ? object : WithoutManagedFields(object);
  };
  std::string text;
  switch (kind_) {
    case OutputFormat::Kind::kJson: {
      api::JsonWriter writer(text, 4);
      shown().Send(writer);
      return text + "\n";
    }
    case OutputFormat::Kind::kYaml:
      return (first ? "" : "---\n") + api::ToYaml(shown());
    case OutputFormat::Kind::kJsonPath:
      return template_->Fill(object);
    case OutputFormat::Kind::kColumns:
      return PrintColumns(object);
    default:
      for (const Json* each : ObjectsIn(object)) text += NameText(*each) + "\n";
      return text;
  }
}

Result<std::string> ObjectPrinter::PrintColumns(const Json& object) {
  std::string text;
  const auto add = [&](const std::string& cell, std::size_t column) {
    text += cell;
    text += column + 1 == columns_.size() ? '\n' : '\t';
  };
  if (!options_.no_headers) {
    for (std::size_t i = 0; i < columns_.size(); ++i) add(columns_[i].first, i);
    options_.no_headers = true;  // once is enough
  }
  for (const Json* each : ObjectsIn(object)) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      FLYBALL_TRY(const std::string cell, CellOf(columns_[i].second, *each));
      add(cell, i);
    }
  }
  return tabs_.Align(text);
}

std::string NameText(const Json& object) {
  const std::string api_version = TextAt(object, {"apiVersion"});
  const std::size_t slash = api_version.find('/');
  std::string text = InLowerCase(TextAt(object, {"kind"}));
  if (slash != std::string::npos) text += "." + api_version.substr(0, slash);
  const std::string name = NameOf(object);
  return text + "/" + (name.empty() ? "<unknown>" : name);
}

Json ListOf(std::vector<Json> objects) {
  return Json::Object{{"apiVersion", "v1"},
                      {"items", std::move(objects)},
                      {"kind", "List"},
                      {"metadata", Json::Object{{"resourceVersion", ""}}}};
}

std::string EscapeTerminal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\x1b') {
      escaped += "^[";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace flyball::ctl
