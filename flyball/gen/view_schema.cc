#include "flyball/gen/view_schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace flyball::gen {
namespace {

/// What one view says of one type, before it is checked.
struct DeclaredType {
  std::string name;
  int line = 0;
  std::vector<std::pair<int, std::vector<std::string>>> fields;  ///< line and words
};

struct DeclaredView {
  std::string name;
  std::string kind;
  int line = 0;
  std::vector<DeclaredType> types;
};

class ViewParser {
 public:
  ViewParser(const Schema& schema, std::string_view file) : schema_(schema), file_(file) {}

  Result<std::vector<ViewFacts>> Parse(std::string_view text) {
    FLYBALL_TRY(Declare(text));
    std::vector<ViewFacts> views;
    for (const DeclaredView& declared : declared_) {
      FLYBALL_TRY(ViewFacts view, Check(declared));
      views.push_back(std::move(view));
    }
    return views;
  }

 private:
  std::unexpected<Error> Bad(int line, const std::string& message) const {
    return Fail(ErrorCode::kMalformed, std::string(file_) + ":" + std::to_string(line), message);
  }

  /// Indentation says what a line is: 0 a view, 2 a type, 4 a field.
  Result<> Declare(std::string_view text) {
    std::istringstream in{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      line.erase(std::min(line.find('#'), line.size()));
      const auto words = Split(line, ' ');
      if (words.empty()) continue;
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent == 0) {
        if (words.size() != 3 || words[0] != "view") return Bad(number, "not 'view Name kind'");
        declared_.push_back({words[1], words[2], number, {}});
      } else if (declared_.empty()) {
        return Bad(number, "outside of a view");
      } else if (indent == 2) {
        declared_.back().types.push_back({words[0], number, {}});
      } else if (indent == 4 && !declared_.back().types.empty()) {
        declared_.back().types.back().fields.emplace_back(number, words);
      } else {
        return Bad(number, "neither a view, a type nor a field");
      }
    }
    return {};
  }

  Result<ViewFacts> Check(const DeclaredView& declared) {
    ViewFacts view;
    view.name = declared.name;
    view.kind = schema_.FindStruct(declared.kind);
    if (!view.kind) return Bad(declared.line, "there is no kind " + declared.kind);
    std::set<std::string> used;
    FLYBALL_TRY(Visit(declared, *view.kind, declared.line, used, view));
    for (const DeclaredType& type : declared.types) {
      if (!used.contains(type.name)) return Bad(type.line, "nothing refers to " + type.name);
    }
    return view;
  }

  Result<> Visit(const DeclaredView& declared, const StructFacts& type, int line,
                 std::set<std::string>& used, ViewFacts& view) {
    if (!used.insert(type.name).second) return {};
    const auto found = std::ranges::find(declared.types, type.name, &DeclaredType::name);
    if (found == declared.types.end()) {
      return Bad(line, "the view does not say what it keeps of " + type.name);
    }
    ViewTypeFacts facts;
    facts.type = &type;
    for (const auto& [at, words] : found->fields) {
      FLYBALL_TRY(AddField(at, words, facts));
    }
    for (const ViewFieldFacts& field : facts.fields) {
      const TypeRef* element = &schema_.Resolve(field.field->type);
      while (!element->element.empty()) element = &schema_.Resolve(element->Element());
      if (element->form != TypeRef::Form::kNamed) continue;
      FLYBALL_TRY(Visit(declared, *schema_.FindStruct(element->name), found->line, used, view));
    }
    std::ranges::sort(facts.fields, {}, [](const auto& field) { return field.field->number; });
    std::ranges::sort(facts.rare, {}, &FieldFacts::number);
    view.types.push_back(std::move(facts));
    return {};
  }

  Result<> AddField(int line, const std::vector<std::string>& words, ViewTypeFacts& facts) {
    if (words[0] == "rare") {
      for (const auto& name : Split(words.back(), ',')) {
        FLYBALL_TRY(const FieldFacts* const field, FindField(line, *facts.type, name));
        facts.rare.push_back(field);
      }
      return {};
    }
    ViewFieldFacts field;
    FLYBALL_TRY(field.field, FindField(line, *facts.type, words[0]));
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "pooled") {
        field.pooled = true;
      } else if (words[i] == "sparse") {
        field.sparse = true;
      } else if (words[i] == "incidental") {
        field.incidental = true;
      } else if (words[i].starts_with("keys=")) {
        field.keys = Split(words[i].substr(5), ',');
      } else {
        return Bad(line, "unknown word '" + words[i] + "'");
      }
    }
    facts.fields.push_back(std::move(field));
    return {};
  }

  Result<const FieldFacts*> FindField(int line, const StructFacts& type, const std::string& name) {
    for (const FieldFacts& field : type.fields) {
      if (field.json_name == name && field.number > 0) return &field;
    }
    return Bad(line, type.name + " has no field " + name);
  }

  const Schema& schema_;
  const std::string_view file_;
  std::vector<DeclaredView> declared_;
};

}  // namespace

const ViewTypeFacts* ViewFacts::FindType(std::string_view qualified_name) const {
  for (const ViewTypeFacts& facts : types) {
    if (facts.type->QualifiedName() == qualified_name) return &facts;
  }
  return nullptr;
}

Result<std::vector<ViewFacts>> ParseViews(const Schema& schema, std::string_view file,
                                          std::string_view text) {
  return ViewParser(schema, file).Parse(text);
}

}  // namespace flyball::gen
