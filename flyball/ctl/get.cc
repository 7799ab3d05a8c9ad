#include "flyball/ctl/get.h"

#include <algorithm>
#include <utility>

#include "flyball/ctl/json_field.h"
#include "flyball/ctl/object_printer.h"
#include "flyball/ctl/resource_argument.h"
#include "flyball/ctl/tab_writer.h"
#include "flyball/ctl/table_printer.h"

namespace flyball::ctl {
namespace {

using client::ServedResource;

constexpr std::string_view kNothingAsked =
    "Required resource not specified.\nSee 'flyball get -h' for help and examples";

/// What is to be shown of one resource: an object, or all that a selector chooses.
struct Wanted {
  const ServedResource* resource;
  ObjectKey key;  // no name: a list
};

class GetCommand {
 public:
  GetCommand(Cluster& cluster, const GetOptions& options) : cluster_(cluster), options_(options) {}

  Errors Run() {
    if (const auto ready = Prepare(); !ready) return {ready.error()};
    if (options_.watch || options_.watch_only) {
      if (const auto watched = Watch(); !watched) Note(watched.error());
    } else if (format_.IsTable()) {
      ShowTables();
    } else if (const auto shown = ShowObjects(); !shown) {
      Note(shown.error());
    }
    return std::move(errors_);
  }

 private:
  Result<> Prepare() {
    FLYBALL_TRY(format_, OutputFormat::Parse(options_.output));
    if (options_.show_labels && !format_.IsTable()) {
      return std::unexpected(
          UsageError("--show-labels option cannot be used with " + options_.output + " printer"));
    }
    if (options_.words.empty() && options_.files.empty()) {
      return std::unexpected(UsageError(std::string(kNothingAsked)));
    }
    if (!options_.files.empty()) return FindInFiles();
    return FindTargets();
  }

  Result<> FindInFiles() {
    if (!options_.words.empty()) {
      return std::unexpected(UsageError(
          "when paths, URLs, or stdin is provided as input, you may not specify resource "
          "arguments as well"));
    }
    FLYBALL_TRY(const auto placed, ReadPlaced(cluster_, options_.files, errors_));
    for (const PlacedManifest& each : placed) wanted_.push_back({each.resource, each.key});
    return {};
  }

  Result<> FindTargets() {
    FLYBALL_TRY(const client::Served* const served, cluster_.Served());
    FLYBALL_TRY(const auto targets, ParseTargets(*served, options_.words));
    const bool selects = !options_.selector.empty() || !options_.field_selector.empty();
    for (const Target& target : targets) {
      ObjectKey key = cluster_.KeyOf(*target.resource, target.name);
      if (options_.all_namespaces) key.namespace_.clear();
      if (!target.name.empty() && selects) {
        return std::unexpected(UsageError("name cannot be provided when a selector is specified"));
      }
      if (!target.name.empty() && options_.all_namespaces && target.resource->resource.namespaced) {
        return std::unexpected(
            UsageError("a resource cannot be retrieved by name across all namespaces"));
      }
      wanted_.push_back({target.resource, std::move(key)});
    }
    return {};
  }

  meta::v1::ListOptions ListOptions() const {
    meta::v1::ListOptions list;
    list.labelSelector = options_.selector;
    list.fieldSelector = options_.field_selector;
    list.limit = options_.chunk_size;
    return list;
  }

  void Note(Error error) {
    if (options_.ignore_not_found && error.code() == ErrorCode::kNotFound) return;
    errors_.push_back(std::move(error));
  }

  TablePrinter PrinterOf(const ServedResource& resource, bool with_kind) const {
    return TablePrinter({.wide = format_.kind == OutputFormat::Kind::kWide,
                         .no_headers = options_.no_headers,
                         .with_namespace = options_.all_namespaces && resource.resource.namespaced,
                         .show_labels = options_.show_labels,
                         .label_columns = options_.label_columns,
                         .kind = with_kind ? KindText(resource.resource) : ""});
  }

  /// What the server has, as a table; of one that makes none, names and ages.
  Json AsTable(const Json& answer) const {
    if (TextAt(answer, {"kind"}) == "Table") return answer;
    return PlainTable(answer, cluster_.clock().WallNow());
  }

  Result<> EachTable(const Wanted& wanted, const std::function<void(const Json& table)>& each) {
    const client::Resource& resource = wanted.resource->resource;
    if (wanted.key.name.empty()) {
      return cluster_.List(resource, wanted.key.namespace_, ListOptions(), Cluster::Form::kTable,
                           [&](const Json& page) {
                             each(AsTable(page));
                             return Result<>();
                           });
    }
    FLYBALL_TRY(const Json table, cluster_.GetAs(resource, wanted.key, Cluster::Form::kTable));
    each(AsTable(table));
    return {};
  }

  void ShowTables() {
    const auto differs = [&](const Wanted& each) {
      return each.resource != wanted_.front().resource;
    };
    const bool with_kind = options_.show_kind || std::ranges::any_of(wanted_, differs);
    bool written = false;
    for (auto first = wanted_.begin(); first != wanted_.end();) {
      const ServedResource* const resource = first->resource;
      TablePrinter printer = PrinterOf(*resource, with_kind);
      std::string lines;
      for (; first != wanted_.end() && first->resource == resource; ++first) {
        const auto shown =
            EachTable(*first, [&](const Json& table) { lines += printer.Print(table); });
        if (!shown) Note(shown.error());
      }
      if (lines.empty()) continue;
      if (written && !options_.no_headers) cluster_.console().out << "\n";
      written = true;
      cluster_.console().out << TabWriter::ForTables().Align(lines);
    }
    if (!written && errors_.empty() && !options_.ignore_not_found) SayNothingFound();
  }

  void SayNothingFound() const {
    const bool namespaced =
        !options_.all_namespaces && std::ranges::all_of(wanted_, [](const Wanted& each) {
          return each.resource->resource.namespaced;
        });
    cluster_.console().err << (namespaced ? "No resources found in " + cluster_.namespace_() +
                                                " namespace."
                                          : "No resources found")
                           << "\n";
  }

  Result<> ShowObjects() {
    FLYBALL_TRY(ObjectPrinter printer, MakePrinter());
    std::vector<Json> objects;
    for (const Wanted& wanted : wanted_) {
      auto found = Objects(wanted);
      if (!found) {
        Note(found.error());
        continue;
      }
      std::ranges::move(*found, std::back_inserter(objects));
    }
    // Who asks for one object, by its name, gets it and no list.
    const bool single = wanted_.size() == 1 && !wanted_.front().key.name.empty();
    if (objects.empty() && (single || options_.ignore_not_found)) return {};
    FLYBALL_TRY(const std::string text,
                printer.Print(single ? objects.front() : ListOf(std::move(objects))));
    cluster_.console().out << text;
    return {};
  }

  Result<ObjectPrinter> MakePrinter() const {
    return ObjectPrinter::Make(format_, {.no_headers = options_.no_headers,
                                         .show_managed_fields = options_.show_managed_fields});
  }

  Result<std::vector<Json>> Objects(const Wanted& wanted) {
    const client::Resource& resource = wanted.resource->resource;
    if (wanted.key.name.empty()) {
      return cluster_.ListObjects(resource, wanted.key.namespace_, ListOptions());
    }
    FLYBALL_TRY(Json object, cluster_.Get(resource, wanted.key));
    return std::vector<Json>{std::move(object)};
  }

  /// Shows one resource as it changes. What is there at first comes from a list, of one object too:
  /// its version is where the watch goes on, so that no change falls in between.
  Result<> Watch() {
    if (wanted_.empty()) return {};
    const Wanted& wanted = wanted_.front();
    if (wanted_.size() > 1) {
      return std::unexpected(UsageError("you may only specify a single resource type"));
    }
    const client::Resource& resource = wanted.resource->resource;
    if (!wanted.key.name.empty()) FLYBALL_TRY(cluster_.Get(resource, wanted.key));
    meta::v1::ListOptions list = ListOptions();
    if (!wanted.key.name.empty()) list.fieldSelector = "metadata.name=" + wanted.key.name;

    TablePrinter tables = PrinterOf(*wanted.resource, options_.show_kind);
    TabWriter tabs = TabWriter::ForTables();
    const auto form = format_.IsTable() ? Cluster::Form::kTable : Cluster::Form::kObjects;
    FLYBALL_TRY(ObjectPrinter objects, MakePrinter());
    const auto show = [&](const Json& what) -> Result<> {
      std::string text;
      if (format_.IsTable()) {
        text = tabs.Align(tables.Print(AsTable(what)));
      } else {
        FLYBALL_TRY(text, objects.Print(what));
      }
      cluster_.console().out << text << std::flush;
      return {};
    };
    FLYBALL_TRY(cluster_.List(
        resource, wanted.key.namespace_, list, form, [&](const Json& page) -> Result<> {
          list.resourceVersion = TextAt(page, {"metadata", "resourceVersion"});
          if (options_.watch_only) return {};
          return ShowPage(page, *wanted.resource, show);
        }));
    list.limit = 0;
    Result<> failed;
    FLYBALL_TRY(cluster_.Watch(resource, wanted.key.namespace_, list, form,
                               [&](client::EventType type, const Json& object) {
                                 if (type == client::EventType::kBookmark) return true;
                                 failed = show(object);
                                 return failed.has_value();
                               }));
    return failed;
  }

  /// A table as it is; of a list of objects, one after the other.
  Result<> ShowPage(const Json& page, const ServedResource& resource,
                    const std::function<Result<>(const Json&)>& show) const {
    if (format_.IsTable()) return show(page);
    for (Json object : ListAt(page, {"items"})) {
      client::NameKind(object, resource.resource.ApiVersion(), resource.resource.kind);
      FLYBALL_TRY(show(object));
    }
    return {};
  }

  Cluster& cluster_;
  const GetOptions& options_;
  OutputFormat format_;
  std::vector<Wanted> wanted_;
  Errors errors_;
};

}  // namespace

Errors Get(Cluster& cluster, const GetOptions& options) {
  return GetCommand(cluster, options).Run();
}

}  // namespace flyball::ctl
