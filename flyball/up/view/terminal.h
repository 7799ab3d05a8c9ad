#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/up/view/screen.h"

namespace flyball::up {

/// The terminal of a person, while something is drawn on it: a screen of its own, which leaves the
/// one before it as it was. Nothing is written to what is no terminal. One thread at a time.
class Terminal {
 public:
  /// None if standard output is no terminal, or one that cannot do it (TERM=dumb).
  static std::optional<Terminal> Open();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&&) = delete;
  /// Gives it back.
  ~Terminal();

  /// As it is now: people resize it.
  ScreenSize size() const;
  void Draw(const std::vector<StyledText>& lines) const;

 private:
  explicit Terminal(int fd);

  int fd_;  // negative: given away
};

}  // namespace flyball::up
