#pragma once

#include <string>
#include <string_view>

namespace flyball::api {

/// Whether every byte belongs to a well-formed character: no overlong form, no surrogate, nothing
/// above U+10FFFF.
bool IsValidUtf8(std::string_view text);

/// The length of the well-formed character that starts `text`; 0 if none does, or the text is
/// empty.
std::size_t CharacterSize(std::string_view text);

/// The text with U+FFFD for each byte that does not belong to one, as Go shows it. For what quotes
/// bytes that somebody sent.
std::string ToValidUtf8(std::string text);

}  // namespace flyball::api
