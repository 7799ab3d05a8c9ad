#pragma once

#include <set>
#include <string>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/gen/schema.h"
#include "flyball/gen/view_schema.h"

/// Schema in, C++ out. Pure: files are values until somebody writes them.
namespace flyball::gen {

struct OutputFile {
  std::string path;  ///< relative to the output folder: "flyball/api/core/v1.h"
  std::string text;
};

/// Header and table of every package. The structs in `printed` (and what is in them) also get what
/// DumpForHash() needs.
Result<std::vector<OutputFile>> GenerateApi(const Schema& schema,
                                            const std::vector<std::string>& printed = {});

/// Header and tables of views: with the name "views", flyball/api/views.h.
Result<std::vector<OutputFile>> GenerateViews(const Schema& schema,
                                              const std::vector<ViewFacts>& views,
                                              const std::string& name = "views");

/// The struct definitions of one package.
Result<std::string> EmitTypes(const Schema& schema, const Package& package);

/// The field tables of one package, those in `printed` with their Go names.
std::string EmitTables(const Schema& schema, const Package& package,
                       const std::set<std::string>& printed);

/// The list of all kinds, behind api::AllKinds(): one in a program, so only Flyball's own API has
/// it.
OutputFile GenerateRegistry(const Schema& schema);

}  // namespace flyball::gen
