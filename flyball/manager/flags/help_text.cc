#include "flyball/manager/flags/help_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "flyball/manager/flags/go_text.h"

namespace flyball::manager::flags {
namespace {

constexpr std::size_t kWrappedIndent = 16;

/// "  -v, --v Level" or "      --profiling".
std::string NameText(const Flag& flag) {
  std::string text = flag.short_name() != 0 ? std::string("  -") + flag.short_name() + ", --"
                                            : std::string("      --");
  text.append(flag.name());
  if (flag.type() == "bool") return text;
  text.append(" ").append(flag.type());
  if (!flag.implied().empty()) text.append("[=").append(flag.implied()).append("]");
  return text;
}

std::string UsageText(const Flag& flag) {
  std::string text = flag.usage();
  if (flag.DefaultIsZero()) return text;
  const std::string& value = flag.default_text();
  return text.append(" (default ").append(flag.type() == "string" ? Quote(value) : value) + ")";
}

/// Every line of `text` but the first begins with that many spaces.
std::string Indent(std::string_view text, std::size_t spaces) {
  std::string indented;
  for (const char c : text) {
    indented.push_back(c);
    if (c == '\n') indented.append(spaces, ' ');
  }
  return indented;
}

/// Breaks lines at spaces so that they fit, where they can be broken.
std::string Wrap(std::string_view text, std::size_t width) {
  std::string wrapped;
  while (text.size() > width) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos || end > width) end = text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) end = text.find_first_of(" \n", width);
    if (end == std::string_view::npos) break;
    wrapped.append(text.substr(0, end)).push_back('\n');
    text.remove_prefix(end + 1);
  }
  return wrapped.append(text);
}

std::vector<const Flag*> Shown(const FlagSection& section) {
  std::vector<const Flag*> shown;
  for (const auto& flag : section.flags()) {
    if (flag->deprecation().empty()) shown.push_back(flag.get());
  }
  std::ranges::sort(shown, {}, [](const Flag* flag) -> const std::string& { return flag->name(); });
  return shown;
}

}  // namespace

std::string HelpText(const FlagSet& flags, int columns) {
  // Upstream's rule: narrower than this is not worth breaking lines for.
  const bool wrapped = columns >= 40;
  std::string text;
  for (const auto& section : flags.sections()) {
    const std::vector<const Flag*> shown = Shown(*section);
    if (shown.empty()) continue;
    std::string title = section->name();
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    text.append("\n").append(title).append(" flags:\n\n");

    std::size_t widest = 0;
    for (const Flag* flag : shown) widest = std::max(widest, NameText(*flag).size());
    for (const Flag* flag : shown) {
      std::string name = NameText(*flag);
      if (wrapped) {
        const std::size_t width = static_cast<std::size_t>(columns) - kWrappedIndent;
        text.append(name).append("\n").append(kWrappedIndent, ' ');
        text.append(Indent(Wrap(UsageText(*flag), width), kWrappedIndent)).append("\n");
      } else {
        name.resize(widest, ' ');
        text.append(name).append("   ").append(Indent(UsageText(*flag), widest + 3)).append("\n");
      }
    }
  }
  return text;
}

}  // namespace flyball::manager::flags
