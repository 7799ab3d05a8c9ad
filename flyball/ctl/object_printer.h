#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"
#include "flyball/ctl/json_template.h"
#include "flyball/ctl/tab_writer.h"

namespace flyball::ctl {

/// What `-o` says.
struct OutputFormat {
  enum class Kind : std::uint8_t { kTable, kWide, kName, kJson, kYaml, kJsonPath, kColumns };
  Kind kind = Kind::kTable;
  std::string argument = {};  ///< of jsonpath and custom-columns

  /// Tables are made by the server; the rest is made here, of whole objects.
  bool IsTable() const { return kind == Kind::kTable || kind == Kind::kWide; }

  static Result<OutputFormat> Parse(std::string_view text);
  friend bool operator==(const OutputFormat&, const OutputFormat&) = default;
};

/// Writes whole objects, or a List of them, in a format other than a table.
class ObjectPrinter {
 public:
  struct Options {
    bool no_headers = false;
    bool show_managed_fields = false;
  };

  static Result<ObjectPrinter> Make(const OutputFormat& format, Options options);

  Result<std::string> Print(const api::Json& object);

 private:
  explicit ObjectPrinter(OutputFormat::Kind kind, Options options)
      : kind_(kind), options_(options) {}

  Result<std::string> PrintColumns(const api::Json& object);

  OutputFormat::Kind kind_;
  Options options_;
  std::optional<JsonTemplate> template_;                       // of jsonpath
  std::vector<std::pair<std::string, JsonTemplate>> columns_;  // of custom-columns
  TabWriter tabs_ = TabWriter::ForTables();
  bool printed_ = false;
};

/// "deployment.apps/web", of an object that says its kind.
std::string NameText(const api::Json& object);

/// Objects as one List, as kubectl shows several.
api::Json ListOf(std::vector<api::Json> objects);

/// Text that cannot do anything to a terminal.
std::string EscapeTerminal(std::string_view text);

}  // namespace flyball::ctl
