#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/manager/flags/flag_value.h"

namespace flyball::manager::flags {

/// One flag, tied to the member that it sets, which must outlive it and stay where it is.
class Flag {
 public:
  template <typename T>
  Flag(std::string_view name, T& member, std::string_view usage)
      : name_(name),
        usage_(usage),
        type_(FlagValue<T>::kType),
        set_([&member](std::string_view text, bool again) {
          return FlagValue<T>::Set(member, text, again);
        }),
        text_([&member] { return FlagValue<T>::Text(member); }),
        default_(text_()) {
    if (type_ == "bool" || type_ == "version") implied_ = "true";
  }

  Flag& Short(char letter);
  /// Not in --help, and a notice when it is given.
  Flag& Deprecate(std::string_view notice);
  /// It is accepted, as it is upstream, and means nothing here; `reason` is logged when it is
  /// given.
  Flag& WithoutEffect(std::string_view reason);

  const std::string& name() const { return name_; }
  const std::string& usage() const { return usage_; }
  /// "int32", "duration", "strings".
  std::string_view type() const { return type_; }
  char short_name() const { return short_; }  ///< or 0
  /// The value of a flag that is given without one; empty: it needs one.
  const std::string& implied() const { return implied_; }
  const std::string& deprecation() const { return deprecation_; }
  const std::string& without_effect() const { return without_effect_; }
  /// What it is if nobody sets it, as text; and whether that is nothing worth saying in --help.
  const std::string& default_text() const { return default_; }
  bool DefaultIsZero() const;

  std::string Text() const { return text_(); }
  bool given() const { return given_; }
  Result<> Set(std::string_view text);

 private:
  const std::string name_;
  const std::string usage_;
  const std::string_view type_;
  const std::function<Result<>(std::string_view, bool)> set_;
  const std::function<std::string()> text_;
  const std::string default_;
  std::string implied_;
  char short_ = 0;
  std::string deprecation_;
  std::string without_effect_;
  bool given_ = false;
};

/// Flags that stand together under a heading of --help.
class FlagSection {
 public:
  explicit FlagSection(std::string_view name) : name_(name) {}

  template <typename T>
  Flag& Add(std::string_view name, T& member, std::string_view usage) {
    return *flags_.emplace_back(std::make_unique<Flag>(name, member, usage));
  }

  const std::string& name() const { return name_; }
  std::span<const std::unique_ptr<Flag>> flags() const { return flags_; }

 private:
  const std::string name_;
  std::vector<std::unique_ptr<Flag>> flags_;
};

/// All flags of a command. Reads a command line as pflag does:
///   --name=value  --name value  --bool  -v 4  -v=4  -v4  --under_score  --  and the rest
class FlagSet {
 public:
  FlagSet() = default;
  FlagSet(const FlagSet&) = delete;
  FlagSet& operator=(const FlagSet&) = delete;

  /// Made where it is first asked for: this is the order of --help.
  FlagSection& Section(std::string_view name);
  std::span<const std::unique_ptr<FlagSection>> sections() const { return sections_; }

  /// Null: there is none. An underscore is as good as a hyphen.
  Flag* Find(std::string_view name) const;
  /// All of them, by name.
  std::vector<const Flag*> Sorted() const;

  /// Sets what is given and returns what is no flag. The first error ends it.
  Result<std::vector<std::string>> Parse(std::span<const std::string> arguments);

 private:
  using Rest = std::span<const std::string>;
  /// `argument` is what the flag stands in; where it has no value, the first of `rest` is.
  Result<> ParseLong(std::string_view argument, Rest& rest);
  Result<> ParseShort(std::string_view argument, Rest& rest);
  Flag* FindShort(char letter) const;

  std::vector<std::unique_ptr<FlagSection>> sections_;
};

}  // namespace flyball::manager::flags
