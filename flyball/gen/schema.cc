#include "flyball/gen/schema.h"

#include <charconv>
#include <optional>

namespace flyball::gen {
namespace {

bool IsScalar(std::string_view name) {
  return name == "string" || name == "bool" || name == "int32" || name == "int64" ||
         name == "float64" || name == "bytes";
}

TypeRef Of(TypeRef::Form form, TypeRef element) {
  TypeRef type;
  type.form = form;
  type.element.push_back(std::move(element));
  return type;
}

/// Reads a type in Go's spelling; names without a package belong to `package`.
std::optional<TypeRef> ParseType(std::string_view text, std::string_view package) {
  if (text.starts_with("*") || text.starts_with("[]")) {
    const auto form = text.front() == '*' ? TypeRef::Form::kPointer : TypeRef::Form::kList;
    auto element = ParseType(text.substr(form == TypeRef::Form::kPointer ? 1 : 2), package);
    if (!element) return std::nullopt;
    return Of(form, *std::move(element));
  }
  if (text.starts_with("map[")) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    auto element = ParseType(text.substr(close + 1), package);
    if (!element) return std::nullopt;
    TypeRef map = Of(TypeRef::Form::kMap, *std::move(element));
    map.name = text.substr(4, close - 4);
    if (map.name != "string" && map.name.find('.') == std::string::npos) {
      map.name = std::string(package) + "." + map.name;
    }
    return map;
  }
  if (text.empty()) return std::nullopt;
  TypeRef type;
  if (text.front() == '@') {
    type.form = TypeRef::Form::kLeaf;
    type.name = text.substr(1);
  } else if (IsScalar(text)) {
    type.form = TypeRef::Form::kScalar;
    type.name = text;
  } else {
    type.form = TypeRef::Form::kNamed;
    type.name = text.find('.') == std::string_view::npos ? std::string(package) + "." : "";
    type.name += text;
  }
  return type;
}

/// One schema file, line by line.
class FileParser {
 public:
  FileParser(std::string_view file, Package& package) : file_(file), package_(package) {}

  Result<> Line(std::string_view line) {
    ++line_number_;
    const auto words = Split(line, ' ');
    if (words.empty()) return {};
    const bool indented = line.front() == ' ';
    if (indented) return Field(words);
    const std::string& word = words.front();
    if (words.size() < 2) return Bad("'" + word + "' needs a name");
    if (word == "package") return PackageLine(words);
    if (word == "resource" || word == "sub") return Resource(words);
    if (word == "type") return Named(words);
    if (word == "struct" || word == "kind" || word == "union") return Struct(words);
    return Bad("unknown word '" + word + "'");
  }

 private:
  std::unexpected<Error> Bad(const std::string& message) const {
    return Fail(ErrorCode::kMalformed, std::string(file_) + ":" + std::to_string(line_number_),
                message);
  }

  Result<> PackageLine(const std::vector<std::string>& words) {
    package_.name = words[1];
    for (const auto& word : words) {
      if (word.starts_with("group=")) package_.group = word.substr(6);
      if (word.starts_with("version=")) package_.version = word.substr(8);
    }
    return {};
  }

  Result<> Resource(const std::vector<std::string>& words) {
    if (words.size() < 4) return Bad("a resource needs plural, kind and scope");
    if (words[0] == "sub") {
      if (package_.resources.empty() || package_.resources.back().plural != words[1]) {
        return Bad("subresource of " + words[1] + " does not follow its resource");
      }
      SubresourceFacts sub{words[2], words[3], {}};
      if (words.back().starts_with("verbs=")) sub.verbs = Split(words.back().substr(6), ',');
      package_.resources.back().subresources.push_back(std::move(sub));
      return {};
    }
    ResourceFacts resource;
    resource.plural = words[1];
    resource.kind = words[2];
    resource.namespaced = words[3] == "namespaced";
    for (const auto& word : words) {
      if (word.starts_with("singular=")) resource.singular = word.substr(9);
      if (word.starts_with("short=")) resource.short_names = Split(word.substr(6), ',');
      if (word.starts_with("categories=")) resource.categories = Split(word.substr(11), ',');
      if (word.starts_with("verbs=")) resource.verbs = Split(word.substr(6), ',');
    }
    package_.resources.push_back(std::move(resource));
    return {};
  }

  Result<> Named(const std::vector<std::string>& words) {
    if (words.size() < 3) return Bad("a named type needs a name and a type");
    auto type = ParseType(words[2], package_.name);
    if (!type) return Bad("type '" + words[2] + "' does not parse");
    package_.named[words[1]] = {*std::move(type), words.size() > 3 && words[3] == "wrapped"};
    return {};
  }

  Result<> Struct(const std::vector<std::string>& words) {
    StructFacts facts;
    facts.name = words[1];
    facts.package = package_.name;
    facts.is_kind = words[0] == "kind";
    facts.is_union = words[0] == "union";
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (words[i] == "atomic") {
        facts.atomic = true;
      } else if (words[i] == "jsononly") {
        facts.json_only = true;
      } else {
        return Bad("unknown word '" + words[i] + "'");
      }
    }
    package_.structs.push_back(std::move(facts));
    return {};
  }

  Result<> Field(const std::vector<std::string>& words) {
    if (package_.structs.empty()) return Bad("a field outside of a struct");
    if (words.size() < 3) return Bad("a field needs a number, a name and a type");
    FieldFacts field;
    if (words[0] != "-") {
      const auto& digits = words[0];
      const auto end = digits.data() + digits.size();
      if (std::from_chars(digits.data(), end, field.number).ptr != end || field.number < 1) {
        return Bad("'" + digits + "' is not a field number");
      }
    }
    field.json_name = words[1];
    field.inlined = words[1] == ".";
    auto type = ParseType(words[2], package_.name);
    if (!type) return Bad("type '" + words[2] + "' does not parse");
    field.type = *std::move(type);
    for (std::size_t i = 3; i < words.size(); ++i) FLYBALL_TRY(FieldWord(words[i], field));
    if (field.go_name.empty()) {
      field.go_name = field.json_name;
      field.go_name[0] = static_cast<char>(std::toupper(field.go_name[0]));
    }
    package_.structs.back().fields.push_back(std::move(field));
    return {};
  }

  Result<> FieldWord(const std::string& word, FieldFacts& field) const {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (word == "omitempty") {
      field.omitempty = true;
    } else if (word == "omitzero") {
      field.omitzero = true;
    } else if (word == "required") {
      field.required = true;
    } else if (key == "go") {
      field.go_name = value;
    } else if (key == "cpp") {
      field.cpp_name = value;
    } else if (key == "patch") {
      field.patch_strategy = value;
    } else if (key == "key") {
      field.merge_key = value;
    } else if (key == "list") {
      field.list_type = value;
    } else if (word == "map=atomic") {
      field.atomic_map = true;
    } else if (key == "form") {
      field.union_form = value;
    } else {
      return Bad("unknown word '" + word + "'");
    }
    return {};
  }

  const std::string_view file_;
  Package& package_;
  int line_number_ = 0;
};

}  // namespace

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

const TypeRef& Innermost(const TypeRef& type) {
  return type.element.empty() ? type : Innermost(type.Element());
}

std::pair<std::string, std::string> SplitQualified(std::string_view qualified_name) {
  const auto dot = qualified_name.rfind('.');
  return {std::string(qualified_name.substr(0, dot)), std::string(qualified_name.substr(dot + 1))};
}

Result<> Schema::AddFile(std::string_view file, std::string_view text) {
  Package package;
  FileParser parser(file, package);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    FLYBALL_TRY(parser.Line(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (package.name.empty()) {
    return Fail(ErrorCode::kMalformed, std::string(file), "no package line");
  }
  const std::string name = package.name;
  if (!AddPackage(std::move(package))) {
    return Fail(ErrorCode::kMalformed, std::string(file), "package " + name + " is there twice");
  }
  return {};
}

bool Schema::AddPackage(Package package) {
  const std::string name = package.name;
  return packages_.emplace(name, std::move(package)).second;
}

Result<> Schema::Check() const {
  for (const auto& [name, package] : packages_) {
    for (const auto& facts : package.structs) {
      for (const auto& field : facts.fields) {
        const TypeRef& type = Innermost(field.type);
        if (type.form == TypeRef::Form::kNamed && !FindStruct(type.name) && !FindNamed(type.name)) {
          return Fail(ErrorCode::kMalformed, facts.QualifiedName() + "." + field.json_name,
                      "there is no type " + type.name);
        }
      }
    }
  }
  return {};
}

const Package* Schema::FindPackage(std::string_view name) const {
  const auto found = packages_.find(std::string(name));
  return found == packages_.end() ? nullptr : &found->second;
}

const StructFacts* Schema::FindStruct(std::string_view qualified_name) const {
  const auto [package_name, name] = SplitQualified(qualified_name);
  const Package* package = FindPackage(package_name);
  if (!package) return nullptr;
  for (const auto& facts : package->structs) {
    if (facts.name == name) return &facts;
  }
  return nullptr;
}

const NamedType* Schema::FindNamed(std::string_view qualified_name) const {
  const auto [package_name, name] = SplitQualified(qualified_name);
  const Package* package = FindPackage(package_name);
  if (!package) return nullptr;
  const auto type = package->named.find(name);
  return type == package->named.end() ? nullptr : &type->second;
}

const TypeRef& Schema::Resolve(const TypeRef& type) const {
  const NamedType* named = type.form == TypeRef::Form::kNamed ? FindNamed(type.name) : nullptr;
  return named ? Resolve(named->type) : type;
}

}  // namespace flyball::gen
