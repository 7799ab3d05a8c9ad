#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/base/result.h"

namespace re2 {
class RE2;
}

namespace flyball::sandbox {

/// A regular expression of a CRD's schema, in Go's syntax. Its author is not trusted: the time that
/// matching takes grows with the text and not with more, and memory is bounded. Any thread.
class Pattern {
 public:
  static constexpr std::size_t kDefaultMemory = std::size_t{8} << 20;

  /// `memory` is what the compiled form may take, and what matching may keep. kInvalid, in Go's
  /// words, if it is no regular expression; kTooLarge if its compiled form takes more memory;
  /// kUnsupported if Go may know it and this does not: `(?<name>...)`.
  static Result<Pattern> Compile(const std::string& text, std::size_t memory = kDefaultMemory);

  /// Whether it is found anywhere in a text.
  bool Matches(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace flyball::sandbox
