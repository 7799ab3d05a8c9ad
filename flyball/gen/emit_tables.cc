#include <algorithm>
#include <set>

#include "flyball/base/check.h"
#include "flyball/gen/cpp_names.h"
#include "flyball/gen/field_shape.h"
#include "flyball/gen/generate.h"
#include "flyball/gen/go_names.h"

namespace flyball::gen {
namespace {

/// How structs are held by fields anywhere in the schema, so that a table carries only those
/// operations that some field needs.
struct Uses {
  std::set<std::string> lists;
  std::set<std::string> maps;
  std::set<std::string> boxes;
};

Uses CollectUses(const Schema& schema) {
  Uses uses;
  for (const auto& [name, package] : schema.packages()) {
    for (const auto& facts : package.structs) {
      for (const auto& field : facts.fields) {
        const FieldShape parts = ShapeOf(schema, field);
        const TypeRef& element = schema.Resolve(*parts.element);
        if (element.form != TypeRef::Form::kNamed) continue;
        if (parts.shape == "kList") uses.lists.insert(element.name);
        if (parts.shape == "kMap") uses.maps.insert(element.name);
        if (parts.shape == "kOptional") uses.boxes.insert(element.name);
      }
    }
  }
  return uses;
}

class TableWriter {
 public:
  TableWriter(const Schema& schema, const Package& package, const std::set<std::string>& printed)
      : schema_(schema), package_(package), printed_(printed), uses_(CollectUses(schema)) {}

  std::string Write() {
    for (const auto& facts : package_.structs) Struct(facts);
    return std::move(text_);
  }

 private:
  void Struct(const StructFacts& facts) {
    std::vector<std::pair<int, int>> numbers;
    int count = 0;
    bool has_type_meta = false;
    std::string fields;
    for (const auto& field : facts.fields) {
      if (IsTypeMeta(field)) {
        has_type_meta = true;
        for (const auto* name : {"kind", "apiVersion"}) {
          fields += "    {.name = " + Quoted(name) + ", .offset = offsetof(" + facts.name + ", " +
                    name + "), .kind = api::Kind::kString, .omitempty = true},\n";
          ++count;
        }
        continue;
      }
      if (HasDefaults(field)) Defaults(facts, field);
      fields += FieldRow(facts, field);
      if (field.number > 0) numbers.emplace_back(field.number, count);
      ++count;
    }
    std::ranges::sort(numbers);
    if (count > 0) {
      text_ += "constexpr api::Field k" + facts.name + "Fields[] = {\n" + fields + "};\n";
    }
    if (!numbers.empty()) {
      text_ += "constexpr std::uint8_t k" + facts.name + "ByNumber[] = {";
      for (const auto& [number, index] : numbers) text_ += std::to_string(index) + ", ";
      text_ += "};\n";
    }
    if (printed_.contains(facts.QualifiedName())) GoPrefixes(facts);
    Info(facts, has_type_meta, count > 0, !numbers.empty());
  }

  static bool HasDefaults(const FieldFacts& field) {
    return !field.default_json.empty() || !field.element_default.empty();
  }
  static std::string DefaultsName(const StructFacts& facts, const FieldFacts& field) {
    return "k" + facts.name + "_" + MemberName(field) + "Defaults";
  }
  void Defaults(const StructFacts& facts, const FieldFacts& field) {
    text_ += "constexpr api::FieldDefaults " + DefaultsName(facts, field) +
             " = {\n    .member = " + Quoted(field.default_json) +
             ", .element = " + Quoted(field.element_default) + "};\n";
  }

  void GoPrefixes(const StructFacts& facts) {
    text_ += "constexpr std::string_view k" + facts.name + "GoPrefixes[] = {\n";
    for (const auto& field : facts.fields) {
      text_ += "    " + Quoted(GoFieldPrefix(field)) + ",\n";
    }
    text_ += "};\n";
  }

  std::string FieldRow(const StructFacts& facts, const FieldFacts& field) {
    const FieldShape parts = ShapeOf(schema_, field);
    const std::string& kind = parts.kind;
    std::string row = "    {";
    if (!field.inlined) row += ".name = " + Quoted(field.json_name) + ", ";
    if (kind == "kMessage") {
      row += ".message = &" +
             QualifiedCppName(schema_.Resolve(*parts.element).name, package_.name) + "::kType, ";
    }
    row += ".offset = " + Offset(facts, field) + ", .number = " + std::to_string(field.number) +
           ", .kind = api::Kind::" + kind + ", .shape = api::Shape::" + parts.shape;
    if (field.omitempty) row += ", .omitempty = true";
    if (field.omitzero) row += ", .omitzero = true";
    if (field.required) row += ", .required = true";
    if (!field.union_form.empty()) {
      std::string form = field.union_form;
      form[0] = static_cast<char>(std::toupper(form[0]));
      row += ", .union_form = api::UnionForm::k" + form;
    }
    if (field.atomic_map) row += ", .atomic_map = true";
    if (field.structural) row += ", .structural = true";
    if (field.nullable) row += ", .nullable = true";
    if (!field.patch_strategy.empty()) row += ", .patch_strategy = " + Quoted(field.patch_strategy);
    if (!field.merge_key.empty()) row += ", .merge_key = " + Quoted(field.merge_key);
    if (!field.list_type.empty()) row += ", .list_type = " + Quoted(field.list_type);
    if (HasDefaults(field)) row += ", .defaults = &" + DefaultsName(facts, field);
    return row + "},\n";
  }

  /// Where a member is. A base's place is that of its first member, less the member's place in it.
  std::string Offset(const StructFacts& facts, const FieldFacts& field) {
    if (!field.inlined) return "offsetof(" + facts.name + ", " + MemberName(field) + ")";
    const StructFacts* base = schema_.FindStruct(field.type.name);
    FLYBALL_CHECK(base && !base->fields.empty(), field.type.name);
    const FieldFacts& first = base->fields.front();
    if (first.inlined) return Offset(facts, first);
    const std::string member = MemberName(first);
    return "offsetof(" + facts.name + ", " + member + ") - offsetof(" +
           QualifiedCppName(field.type.name, package_.name) + ", " + member + ")";
  }

  void Info(const StructFacts& facts, bool has_type_meta, bool has_fields, bool has_numbers) {
    const std::string name = facts.QualifiedName();
    const ResourceFacts* resource = nullptr;
    for (const auto& candidate : package_.resources) {
      if (candidate.kind == facts.name) resource = &candidate;
    }
    if (resource) Resource(facts.name, *resource);
    text_ += "}  // namespace\nconstinit const api::TypeInfo " + facts.name + "::kType = {\n";
    text_ += "    .name = " + Quoted(facts.kind.empty() ? facts.name : facts.kind) +
             ", .package = " + Quoted(package_.name);
    text_ += ", .group = " + Quoted(package_.group) + ", .version = " + Quoted(package_.version);
    if (facts.is_kind) text_ += ", .is_kind = true";
    if (facts.is_union) text_ += ", .is_union = true";
    if (facts.is_bare) text_ += ", .is_bare = true";
    if (facts.atomic) text_ += ", .atomic = true";
    if (facts.json_only) text_ += ", .json_only = true";
    if (has_type_meta) text_ += ", .has_type_meta = true";
    text_ += ",\n    .unknown_offset = offsetof(" + facts.name + ", unknown_fields)";
    if (has_fields) text_ += ", .fields = k" + facts.name + "Fields";
    if (has_numbers) text_ += ", .by_number = k" + facts.name + "ByNumber";
    if (uses_.lists.contains(name)) text_ += ", .list = &api::kListOps<" + facts.name + ">";
    if (uses_.maps.contains(name)) text_ += ", .map = &api::kMapOps<" + facts.name + ">";
    if (uses_.boxes.contains(name)) text_ += ", .box = &api::kBoxOps<" + facts.name + ">";
    if (printed_.contains(name)) text_ += ", .go_prefixes = k" + facts.name + "GoPrefixes";
    if (resource) text_ += ", .resource = &k" + facts.name + "Resource";
    if (facts.is_kind) {
      text_ += ", .create = &api::Create<" + facts.name + ">, .destroy = &api::Destroy<" +
               facts.name + ">";
    }
    text_ += "};\nnamespace {\n\n";
  }

  static std::string Joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
    return Quoted(text);
  }

  void Resource(const std::string& name, const ResourceFacts& resource) {
    if (resource.custom) Custom(name, *resource.custom);
    if (!resource.subresources.empty()) {
      text_ += "constexpr api::SubresourceInfo k" + name + "Subresources[] = {\n";
      for (const auto& sub : resource.subresources) {
        text_ += "    {" + Quoted(sub.name) + ", " + Quoted(sub.kind) + ", " + Joined(sub.verbs) +
                 "},\n";
      }
      text_ += "};\n";
    }
    text_ += "constexpr api::ResourceInfo k" + name +
             "Resource = {\n    .plural = " + Quoted(resource.plural) +
             ", .singular = " + Quoted(resource.singular) +
             ", .short_names = " + Joined(resource.short_names) +
             ",\n    .categories = " + Joined(resource.categories) +
             ", .verbs = " + Joined(resource.verbs) +
             ",\n    .namespaced = " + (resource.namespaced ? "true" : "false") +
             ", .subresources = ";
    text_ += resource.subresources.empty() ? "{}" : "k" + name + "Subresources";
    if (resource.custom) text_ += ", .custom = &k" + name + "Custom";
    text_ += "};\n";
  }

  void Custom(const std::string& name, const CustomResourceFacts& custom) {
    if (custom.scale) {
      text_ += "constexpr api::ScalePaths k" + name + "Scale = {" +
               Quoted(custom.scale->spec_replicas) + ", " + Quoted(custom.scale->status_replicas) +
               ", " + Quoted(custom.scale->label_selector) + "};\n";
    }
    if (!custom.columns.empty()) {
      text_ += "constexpr api::PrinterColumn k" + name + "Columns[] = {\n";
      for (const auto& column : custom.columns) {
        text_ += "    {" + Quoted(column.name) + ", " + Quoted(column.type) + ", " +
                 Quoted(column.format) + ", " + Quoted(column.description) + ", " +
                 Quoted(column.json_path) + ", " + std::to_string(column.priority) + "},\n";
      }
      text_ += "};\n";
    }
    if (!custom.selectable_fields.empty()) {
      text_ += "constexpr std::string_view k" + name + "Selectable[] = {";
      for (const auto& path : custom.selectable_fields) text_ += Quoted(path) + ", ";
      text_ += "};\n";
    }
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    text_ += "constexpr api::CustomResourceInfo k" + name +
             "Custom = {\n    .served = " + flag(custom.served) +
             ", .storage = " + flag(custom.storage) + ", .deprecated = " + flag(custom.deprecated) +
             ", .deprecation_warning = " + Quoted(custom.deprecation_warning) +
             ", .scale = " + (custom.scale ? "&k" + name + "Scale" : "nullptr") +
             ",\n    .columns = " + (custom.columns.empty() ? "{}" : "k" + name + "Columns") +
             ", .selectable_fields = " +
             (custom.selectable_fields.empty() ? "{}" : "k" + name + "Selectable") + "};\n";
  }

  const Schema& schema_;
  const Package& package_;
  const std::set<std::string>& printed_;
  const Uses uses_;
  std::string text_;
};

}  // namespace

std::string EmitTables(const Schema& schema, const Package& package,
                       const std::set<std::string>& printed) {
  std::string text = "// @generated by flyball gen. Do not edit.\n";
  text += "#include \"" + HeaderOf(package) + "\"\n\n#include <cstddef>\n\n";
  text += "#include \"flyball/api/table.h\"\n\n";
  // Structs with a base are not standard-layout, where offsetof is the implementation's to offer;
  // both compilers that we build with do.
  text += "#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n\n";
  text += "namespace flyball::" + NamespaceOf(package.name) + " {\nnamespace {\n\n";
  text += TableWriter(schema, package, printed).Write();
  text += "}  // namespace\n}  // namespace flyball::" + NamespaceOf(package.name) + "\n";
  return text;
}

OutputFile GenerateRegistry(const Schema& schema) {
  std::string text = "// @generated by flyball gen. Do not edit.\n";
  text += "#include \"flyball/api/registry.h\"\n\n";
  std::string rows;
  for (const auto& [name, package] : schema.packages()) {
    text += "#include \"" + HeaderOf(package) + "\"\n";
    for (const auto& facts : package.structs) {
      if (facts.is_kind) rows += "    &" + NamespaceOf(name) + "::" + facts.name + "::kType,\n";
    }
  }
  text += "\nnamespace flyball::api {\nnamespace {\nconstinit const TypeInfo* const kKinds[] = {\n";
  text += rows + "};\n}  // namespace\n\n";
  text += "std::span<const TypeInfo* const> AllKinds() { return kKinds; }\n\n";
  text += "}  // namespace flyball::api\n";
  return {"flyball/api/all_kinds.cc", std::move(text)};
}

Result<std::vector<OutputFile>> GenerateApi(const Schema& schema,
                                            const std::vector<std::string>& printed) {
  FLYBALL_TRY(schema.Check());
  FLYBALL_TRY(const auto printed_structs, ReachableStructs(schema, printed));
  std::vector<OutputFile> files;
  for (const auto& [name, package] : schema.packages()) {
    if (package.declared_elsewhere) continue;
    FLYBALL_TRY(std::string types, EmitTypes(schema, package));
    files.push_back({HeaderOf(package), std::move(types)});
    files.push_back(
        {"flyball/api/" + name + "_table.cc", EmitTables(schema, package, printed_structs)});
  }
  return files;
}

}  // namespace flyball::gen
