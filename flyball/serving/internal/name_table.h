#pragma once

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flyball::serving {

/// What belongs to a server's names. A name that was given by hand goes before one that was only
/// found; a name before a pattern, "*.example.com", which stands for one label.
template <typename T>
class NameTable {
 public:
  void Add(const std::vector<std::string>& given, const std::vector<std::string>& found, T value) {
    for (const std::string& name : given) given_.insert_or_assign(Folded(name), value);
    if (!given.empty()) return;
    for (const std::string& name : found) found_.insert_or_assign(Folded(name), value);
  }

  const T* Find(std::string_view asked) const {
    std::string name = Folded(asked);
    // With a dot at the end it is the same name.
    while (name.ends_with('.')) name.pop_back();
    if (const T* value = FindExactly(name)) return value;
    const std::size_t dot = name.find('.');
    return dot == std::string::npos ? nullptr : FindExactly("*" + name.substr(dot));
  }

 private:
  const T* FindExactly(const std::string& name) const {
    for (const auto* names : {&given_, &found_}) {
      if (const auto at = names->find(name); at != names->end()) return &at->second;
    }
    return nullptr;
  }

  static std::string Folded(std::string_view name) {
    std::string folded(name);
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return folded;
  }

  std::map<std::string, T> given_;
  std::map<std::string, T> found_;
};

}  // namespace flyball::serving
