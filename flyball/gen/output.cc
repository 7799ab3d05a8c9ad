#include "flyball/gen/output.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace flyball::gen {
namespace {

namespace fs = std::filesystem;

Result<> WriteIfChanged(const fs::path& path, const std::string& text) {
  if (fs::exists(path)) {
    FLYBALL_TRY(const std::string before, ReadFile(path.string()));
    if (before == text) return {};
  }
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return Fail(ErrorCode::kIo, path.string(), "cannot be written");
  return {};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Fail(ErrorCode::kIo, path, "cannot be read");
  return std::move(text).str();
}

Result<> WriteFiles(const std::string& folder, const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    FLYBALL_TRY(WriteIfChanged(fs::path(folder) / file.path, file.text));
  }
  return {};
}

}  // namespace flyball::gen
