#include "flyball/manager/flags/flag_set.h"

#include <algorithm>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager::flags {
namespace {

/// 'v', as Go quotes a character.
std::string QuoteLetter(char letter) { return std::string("'") + letter + "'"; }

}  // namespace

Flag& Flag::Short(char letter) {
  short_ = letter;
  return *this;
}

Flag& Flag::Deprecate(std::string_view notice) {
  deprecation_ = notice;
  return *this;
}

Flag& Flag::WithoutEffect(std::string_view reason) {
  without_effect_ = reason;
  return *this;
}

bool Flag::DefaultIsZero() const {
  if (type_ == "string") return default_.empty();
  if (type_ == "duration") return default_ == "0s";
  // PARITY: an empty list of strings is not shown, an empty list of anything else is.
  if (type_ == "strings") return default_ == "[]";
  return default_.empty() || default_ == "false" || default_ == "0";
}

Result<> Flag::Set(std::string_view text) {
  if (const Result<> set = set_(text, given_); !set) {
    const std::string shown = (short_ != 0 ? std::string("-") + short_ + ", --" : "--") + name_;
    return Refuse("invalid argument " + Quote(text) + " for " + Quote(shown) +
                  " flag: " + set.error().message());
  }
  given_ = true;
  return {};
}

FlagSection& FlagSet::Section(std::string_view name) {
  const auto found = std::ranges::find_if(
      sections_, [name](const auto& section) { return section->name() == name; });
  if (found != sections_.end()) return **found;
  return *sections_.emplace_back(std::make_unique<FlagSection>(name));
}

Flag* FlagSet::Find(std::string_view name) const {
  std::string normal(name);
  std::ranges::replace(normal, '_', '-');
  for (const auto& section : sections_) {
    for (const auto& flag : section->flags()) {
      if (flag->name() == normal) return flag.get();
    }
  }
  return nullptr;
}

Flag* FlagSet::FindShort(char letter) const {
  for (const auto& section : sections_) {
    for (const auto& flag : section->flags()) {
      if (flag->short_name() == letter) return flag.get();
    }
  }
  return nullptr;
}

std::vector<const Flag*> FlagSet::Sorted() const {
  std::vector<const Flag*> all;
  for (const auto& section : sections_) {
    for (const auto& flag : section->flags()) all.push_back(flag.get());
  }
  std::ranges::sort(all, {}, [](const Flag* flag) -> const std::string& { return flag->name(); });
  return all;
}

Result<std::vector<std::string>> FlagSet::Parse(std::span<const std::string> arguments) {
  std::vector<std::string> others;
  Rest rest = arguments;
  while (!rest.empty()) {
    const std::string& argument = rest.front();
    rest = rest.subspan(1);
    if (argument == "--") {
      others.insert(others.end(), rest.begin(), rest.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      others.push_back(argument);
    } else if (argument[1] == '-') {
      FLYBALL_TRY(ParseLong(argument, rest));
    } else {
      FLYBALL_TRY(ParseShort(argument, rest));
    }
  }
  return others;
}

// It sets what the flags are tied to. NOLINTNEXTLINE(readability-make-member-function-const)
Result<> FlagSet::ParseLong(std::string_view argument, Rest& rest) {
  const std::string_view body = argument.substr(2);
  if (body.starts_with('-') || body.starts_with('=')) {
    return Refuse("bad flag syntax: " + std::string(argument));
  }
  const std::size_t equals = body.find('=');
  const std::string name(body.substr(0, equals));
  Flag* const flag = Find(name);
  if (flag == nullptr) return Refuse("unknown flag: --" + name);
  if (equals != std::string_view::npos) return flag->Set(body.substr(equals + 1));
  if (!flag->implied().empty()) return flag->Set(flag->implied());
  if (rest.empty()) return Refuse("flag needs an argument: --" + name);
  const std::string& value = rest.front();
  rest = rest.subspan(1);
  return flag->Set(value);
}

Result<> FlagSet::ParseShort(std::string_view argument, Rest& rest) {
  std::string_view letters = argument.substr(1);
  while (!letters.empty()) {
    const char letter = letters.front();
    const std::string where = QuoteLetter(letter) + " in -" + std::string(letters);
    Flag* const flag = FindShort(letter);
    if (flag == nullptr) return Refuse("unknown shorthand flag: " + where);
    letters.remove_prefix(1);
    if (letters.size() > 1 && letters.front() == '=') return flag->Set(letters.substr(1));
    if (!flag->implied().empty()) {
      FLYBALL_TRY(flag->Set(flag->implied()));
      continue;
    }
    if (!letters.empty()) return flag->Set(letters);
    if (rest.empty()) return Refuse("flag needs an argument: " + where);
    const std::string& value = rest.front();
    rest = rest.subspan(1);
    return flag->Set(value);
  }
  return {};
}

}  // namespace flyball::manager::flags
