#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/map.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/time.h"
#include "flyball/base/clock.h"
#include "flyball/ctl/tab_writer.h"

/// What `describe` says of objects: text in columns, in the layout of kubectl's.
namespace flyball::ctl::describe {

/// Text that is written line by line, with tabs between what is aligned.
class Description {
 public:
  /// A line, two blanks further in a level.
  void Line(int level, std::string_view text);
  /// "name:\tvalue".
  void Field(int level, std::string_view name, std::string_view value);
  void Field(int level, std::string_view name, std::int64_t value) {
    Field(level, name, std::to_string(value));
  }
  /// Several values below each other beside a title; "<none>" if there are none.
  void Column(std::string_view title, const std::vector<std::string>& values);
  /// "key=value" below each other.
  void Labels(std::string_view title, const api::Map<std::string>& labels);
  /// "key: value" below each other, what is long or has several lines on lines of its own. What
  /// `apply` keeps is not shown.
  void Annotations(std::string_view title, const api::Map<std::string>& annotations);
  void Events(std::vector<core::v1::Event> events, WallTime now);

  /// What comes from here on is aligned by itself.
  void Flush();

  std::string Take() &&;
  /// With the tabs as they are.
  std::string TakeUnaligned() && { return std::move(pending_); }

 private:
  std::string aligned_;
  std::string pending_;
  TabWriter tabs_ = TabWriter::ForDescriptions();
};

/// "Mon, 16 Nov 2026 12:00:00 +0000", where the command runs.
std::string DateText(const api::Time& time);
template <api::TimeForm kForm>
std::string Since(const api::BasicTime<kForm>& moment, WallTime now);

std::string BoolText(bool value);  ///< "True", "False"
std::string Join(const std::vector<std::string>& texts, std::string_view separator);
std::string OrNone(std::string text);
std::vector<std::string> SplitLines(std::string_view text);

/// "ReplicaSet/web-7d9c5"; empty if nobody controls the object.
std::string ControllerText(const meta::v1::ObjectMeta& metadata);
/// "a=b,c in (d,e)"; "<none>" if it selects everything.
std::string SelectorText(const meta::v1::LabelSelector& selector);

}  // namespace flyball::ctl::describe
