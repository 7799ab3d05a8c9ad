#pragma once

#include <string>
#include <string_view>

namespace flyball::gen {

/// Text as `///` lines of at most 100 columns, each behind `indent`; nothing for no text.
/// Paragraphs are kept, spaces are not. The text may come from anywhere: nothing in it can end the
/// comment or swallow the line after it, and what reorders the text on a screen is left out.
std::string DocComment(std::string_view text, std::string_view indent);

}  // namespace flyball::gen
