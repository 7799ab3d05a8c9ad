#include "flyball/cli/new_project.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

#include "flyball/cli/project_templates.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void Replace(std::string& text, std::string_view placeholder, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;
       at += with.size()) {
    text.replace(at, placeholder.size(), with);
  }
}

std::string Filled(std::string_view pattern, const ProjectNames& names) {
  std::string text(pattern);
  // What is not there before the project's own build is no include of ours.
  Replace(text, "@INCLUDE@", "#include");
  Replace(text, "@NAME@", names.name);
  Replace(text, "@KIND@", names.kind);
  Replace(text, "@PLURAL@", names.plural);
  Replace(text, "@SINGULAR@", names.singular);
  Replace(text, "@GROUP@", names.group);
  Replace(text, "@NAMESPACE@", names.namespace_);
  return text;
}

Result<> Write(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return Fail(ErrorCode::kIo, "cannot write " + path.string());
  return {};
}

}  // namespace

Result<ProjectNames> NamesFor(std::string_view name) {
  const auto refuse = [&](const std::string& why) {
    return Fail(ErrorCode::kInvalid,
                "\"" + std::string(name) + "\" is not a valid project name: " + why);
  };
  if (name.empty()) return refuse("it is empty");
  if (name.size() > 40) return refuse("it has more than 40 characters");
  if (!IsLower(name.front())) return refuse("it does not begin with a letter from a to z");
  if (name.back() == '-') return refuse("it ends in a dash");
  if (name.find("--") != std::string_view::npos) return refuse("it has two dashes in a row");
  for (const char c : name) {
    if (IsLower(c) || IsDigit(c) || c == '-') continue;
    return refuse("there may be letters from a to z, digits and dashes, and not '" +
                  std::string(1, c) + "'");
  }
  ProjectNames names;
  names.name = names.namespace_ = name;
  std::ranges::replace(names.namespace_, '-', '_');
  bool begins = true;
  for (const char c : name) {
    if (c != '-') {
      names.kind += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      names.singular += c;
    }
    begins = c == '-';
  }
  names.plural = names.singular + (names.singular.ends_with('s') ? "es" : "s");
  names.group = names.singular + ".example.com";
  // "hello" is a word of nobody's; "class" is one of the language, and a namespace of ours may be
  // what the library has already.
  names.namespace_ += "_operator";
  return names;
}

std::vector<ProjectFile> ProjectFiles(const ProjectNames& names) {
  std::vector<ProjectFile> files;
  for (const auto& [path, text] : ProjectTemplates()) {
    files.push_back({Filled(path, names), Filled(text, names)});
  }
  return files;
}

Result<> NewProject(const std::string& name, const fs::path& parent) {
  FLYBALL_TRY(const ProjectNames names, NamesFor(name));
  const fs::path folder = parent / names.name;
  std::error_code failed;
  if (fs::exists(folder, failed)) {
    return Fail(ErrorCode::kAlreadyExists,
                folder.string() + " already exists; choose another name or remove it");
  }
  for (const ProjectFile& file : ProjectFiles(names)) {
    FLYBALL_TRY(Write(folder / file.path, file.text));
  }
  return {};
}

}  // namespace flyball::cli
