#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::cli {

/// The names that a project goes by, all made of one.
struct ProjectNames {
  std::string name;        ///< "web-shop": of the project, and of what it is about
  std::string kind;        ///< "WebShop"
  std::string plural;      ///< "webshops"
  std::string singular;    ///< "webshop"
  std::string group;       ///< "webshop.example.com"
  std::string namespace_;  ///< "web_shop", in C++
};

/// kInvalid where Kubernetes or C++ would not take it, with the reason.
Result<ProjectNames> NamesFor(std::string_view name);

struct ProjectFile {
  std::string path;
  std::string text;
};

/// What a new project consists of.
std::vector<ProjectFile> ProjectFiles(const ProjectNames& names);

/// `flyball new NAME`: writes a project for an operator into a new folder of that name. Nothing is
/// overwritten: kAlreadyExists where there is such a folder.
Result<> NewProject(const std::string& name, const std::filesystem::path& parent);

}  // namespace flyball::cli
