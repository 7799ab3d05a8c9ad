#include <set>

#include "flyball/base/check.h"
#include "flyball/gen/cpp_names.h"
#include "flyball/gen/field_shape.h"
#include "flyball/gen/generate.h"

namespace flyball::gen {
namespace {

/// The member type of a view's field, or nothing where views have no such field.
std::string ViewMemberType(const Schema& schema, const FieldFacts& field) {
  const FieldShape parts = ShapeOf(schema, field);
  std::string one;
  if (parts.kind == "kString" || parts.kind == "kBytes" || parts.kind == "kQuantity") {
    one = "api::ViewString";
  } else if (parts.kind == "kBool") {
    one = "bool";
  } else if (parts.kind == "kInt32") {
    one = "std::int32_t";
  } else if (parts.kind == "kInt64") {
    one = "std::int64_t";
  } else if (parts.kind == "kTime") {
    one = "api::ViewTime";
  } else if (parts.kind == "kMessage") {
    one = SplitQualified(schema.Resolve(*parts.element).name).second;
  } else {
    return {};
  }
  const bool text = one == "api::ViewString";
  if (parts.shape == "kMap") return text ? "api::ViewMap" : "";
  if (parts.shape == "kList") {
    return text || parts.kind == "kMessage" ? "api::ViewList<" + one + ">" : "";
  }
  if (parts.shape == "kOptional" && parts.kind == "kMessage") return "const " + one + "*";
  if (parts.shape == "kOptional" && !text) return "std::optional<" + one + ">";
  return one;
}

class ViewWriter {
 public:
  ViewWriter(const Schema& schema, const ViewFacts& view) : schema_(schema), view_(view) {}

  Result<std::string> Header() {
    std::string text = "\n/// What the caches keep of a " + view_.kind->QualifiedName() + ".\n";
    text += "struct " + view_.name + " {\n";
    for (const ViewTypeFacts& facts : view_.types) {
      const bool outer = facts.type == view_.kind;
      FLYBALL_TRY(const std::string members, Members(facts, outer ? "  " : "    "));
      if (outer) {
        text += members;
        text += "\n  static const api::ViewInfo kView;\n";
      } else {
        text += "  struct " + facts.type->name + Bases(facts) + " {\n" + members + "  };\n";
      }
    }
    return text + "};\n";
  }

  std::string Tables() {
    std::string text;
    for (const ViewTypeFacts& facts : view_.types) text += Table(facts);
    return text;
  }

 private:
  std::string CppName(const ViewTypeFacts& facts) const {
    return facts.type == view_.kind ? view_.name : view_.name + "::" + facts.type->name;
  }
  std::string InfoName(const StructFacts& type) const {
    return "k" + view_.name + type.name + "View";
  }

  static std::string Bases(const ViewTypeFacts& facts) {
    std::string bases;
    for (const ViewFieldFacts& field : facts.fields) {
      if (!field.field->inlined) continue;
      bases += bases.empty() ? " : " : ", ";
      bases += SplitQualified(field.field->type.name).second;
    }
    return bases;
  }

  Result<std::string> Members(const ViewTypeFacts& facts, const std::string& indent) {
    std::string text;
    for (const ViewFieldFacts& field : facts.fields) {
      if (field.field->inlined) continue;
      const std::string type = ViewMemberType(schema_, *field.field);
      if (type.empty()) {
        return Fail(ErrorCode::kUnsupported,
                    view_.name + ": " + facts.type->name + "." + field.field->json_name,
                    "views have no fields of this type; it can be among the rare ones");
      }
      const bool zero = type == "bool" || type.starts_with("std::int");
      const std::string initial =
          zero ? (type == "bool" ? " = false" : " = 0") : (type.ends_with("*") ? " = nullptr" : "");
      text += indent + type + " " + MemberName(*field.field) + initial + ";\n";
    }
    if (!facts.rare.empty()) {
      text += indent + "/// Fields few read, as protobuf of " + facts.type->QualifiedName() + ".\n";
      text += indent + "api::ViewString rare;\n";
    }
    return text;
  }

  std::string FieldRow(const ViewTypeFacts& facts, const ViewFieldFacts& field) {
    const FieldShape parts = ShapeOf(schema_, *field.field);
    std::string row = "    {" + Quoted(field.field->inlined ? "" : field.field->json_name) + ", " +
                      std::to_string(field.field->number) + ", ";
    row += field.field->inlined
               ? "BaseOffset<" + CppName(facts) + ", " + view_.name +
                     "::" + SplitQualified(field.field->type.name).second + ">()"
               : "offsetof(" + CppName(facts) + ", " + MemberName(*field.field) + ")";
    row += ", Kind::" + parts.kind + ", Shape::" + parts.shape + ", ";
    row += std::string(field.pooled ? "true" : "false") + ", " + (field.sparse ? "true" : "false");
    row += std::string(", ") + (field.incidental ? "true" : "false");
    if (parts.kind == "kMessage") {
      const StructFacts* message = schema_.FindStruct(schema_.Resolve(*parts.element).name);
      row += ", &" + InfoName(*message);
    } else {
      row += ", nullptr";
    }
    if (!field.keys.empty()) row += ", k" + view_.name + facts.type->name + field.field->go_name;
    return row + "},\n";
  }

  std::string Table(const ViewTypeFacts& facts) {
    const std::string name = "k" + view_.name + facts.type->name;
    std::string text;
    for (const ViewFieldFacts& field : facts.fields) {
      if (field.keys.empty()) continue;
      text += "constexpr std::string_view " + name + field.field->go_name + "[] = {\n";
      for (const auto& key : field.keys) text += "    " + Quoted(key) + ",\n";
      text += "};\n";
    }
    if (!facts.fields.empty()) {
      text += "constexpr api::ViewField " + name + "Fields[] = {\n";
      for (const ViewFieldFacts& field : facts.fields) text += FieldRow(facts, field);
      text += "};\n";
    }
    if (!facts.rare.empty()) {
      text += "constexpr api::RareField " + name + "Rare[] = {\n";
      for (const FieldFacts* field : facts.rare) {
        const bool plain = ShapeOf(schema_, *field).shape == "kValue";
        text +=
            "    {" + std::to_string(field->number) + ", " + (plain ? "false" : "true") + "},\n";
      }
      text += "};\n";
    }
    text += "constexpr api::ViewInfo " + InfoName(*facts.type) + " = {\n";
    text += "    .name = " + Quoted(facts.type->name) + ", .size = sizeof(" + CppName(facts) +
            "), .construct = &Construct<" + CppName(facts) + ">";
    if (!facts.fields.empty()) text += ",\n    .fields = " + name + "Fields";
    if (!facts.rare.empty()) {
      text += ", .rare = " + name + "Rare, .rare_offset = offsetof(" + CppName(facts) + ", rare)";
    }
    return text + "};\n\n";
  }

  const Schema& schema_;
  const ViewFacts& view_;
};

}  // namespace

Result<std::vector<OutputFile>> GenerateViews(const Schema& schema,
                                              const std::vector<ViewFacts>& views,
                                              const std::string& name) {
  const std::string file = "flyball/api/" + name;
  std::string header = "// @generated by flyball gen. Do not edit.\n#pragma once\n\n";
  header += "#include <cstdint>\n#include <optional>\n\n";
  header += "#include \"flyball/api/view.h\"\n";
  header += "#include \"flyball/api/view_info.h\"\n\nnamespace flyball::views {\n";
  std::string table = "// @generated by flyball gen. Do not edit.\n#include \"" + file + ".h\"\n";
  table += "\n#include <cstddef>\n\n#include \"flyball/api/view_table.h\"\n";
  std::set<std::string> kind_headers;
  for (const ViewFacts& view : views) {
    kind_headers.insert(HeaderOf(*schema.FindPackage(view.kind->package)));
  }
  for (const std::string& kind_header : kind_headers) {
    table += "#include \"" + kind_header + "\"\n";
  }
  table += "\n";
  table += "#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n\n";
  table += "namespace flyball::views {\nnamespace {\n\n";
  table += "using api::BaseOffset;\nusing api::Construct;\nusing api::Kind;\nusing api::Shape;\n\n";
  std::string definitions;
  for (const ViewFacts& view : views) {
    ViewWriter writer(schema, view);
    FLYBALL_TRY(const std::string types, writer.Header());
    header += types;
    table += writer.Tables();
    definitions += "constinit const api::ViewInfo " + view.name + "::kView = api::ViewOf(k" +
                   view.name + view.kind->name + "View, " +
                   QualifiedCppName(view.kind->QualifiedName(), "") + "::kType);\n";
  }
  header += "\n}  // namespace flyball::views\n";
  table += "}  // namespace\n\n" + definitions + "\n}  // namespace flyball::views\n";
  return std::vector<OutputFile>{{file + ".h", std::move(header)},
                                 {file + "_table.cc", std::move(table)}};
}

}  // namespace flyball::gen
