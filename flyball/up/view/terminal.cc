#include "flyball/up/view/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace flyball::up {
namespace {

constexpr std::string_view kOwnScreen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kBack = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

/// A terminal that is gone takes nothing more, which is nobody's error.
void Write(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::optional<Terminal> Terminal::Open() {
  const char* const type = std::getenv("TERM");
  if (isatty(STDOUT_FILENO) == 0 || type == nullptr || std::string_view(type) == "dumb") {
    return std::nullopt;
  }
  return Terminal(STDOUT_FILENO);
}

Terminal::Terminal(int fd) : fd_(fd) { Write(fd_, kOwnScreen); }

Terminal::Terminal(Terminal&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Terminal::~Terminal() {
  if (fd_ >= 0) Write(fd_, kBack);
}

ScreenSize Terminal::size() const {
  winsize size = {};
  if (ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.columns = size.ws_col, .rows = size.ws_row};
}

void Terminal::Draw(const std::vector<StyledText>& lines) const {
  std::string text(kHome);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text.append(lines[i].ToString(true)).append(kClearLine);
  }
  text += kClearBelow;
  Write(fd_, text);
}

}  // namespace flyball::up
