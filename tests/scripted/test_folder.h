#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "flyball/base/check.h"

namespace flyball::scripted {

/// A folder that lives as long as a test.
class TestFolder {
 public:
  TestFolder() {
    std::string name = std::filesystem::temp_directory_path() / "flyball.XXXXXX";
    FLYBALL_CHECK(mkdtemp(name.data()) != nullptr, "a folder for the test");
    path_ = name;
  }
  ~TestFolder() {
    std::error_code stays;
    std::filesystem::remove_all(path_, stays);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }

  /// Puts a file there, as a whole at once, and returns its path.
  std::string Write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file.string() + ".new", std::ios::binary) << text;
    std::filesystem::rename(file.string() + ".new", file);
    return file;
  }
  std::string WriteScript(const std::string& name, std::string_view body) const {
    std::string file = Write(name, "#!/bin/sh\n" + std::string(body));
    chmod(file.c_str(), 0700);
    return file;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(path_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace flyball::scripted
