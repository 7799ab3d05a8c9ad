#include "flyball/ctl/describe/description.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "flyball/api/human_duration.h"
#include "flyball/api/label_selector.h"
#include "flyball/base/stable_sort.h"
#include "flyball/ctl/apply_plan.h"
#include "flyball/ctl/object_printer.h"

namespace flyball::ctl::describe {
namespace {

constexpr std::size_t kLongAnnotation = 140;

std::string Shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, most)) + "...";
}

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) + 1 - first));
}

/// When an event was seen, and how often since when.
std::string IntervalText(const core::v1::Event& event, WallTime now) {
  std::string first =
      event.eventTime.IsZero() ? Since(event.firstTimestamp, now) : Since(event.eventTime, now);
  const auto repeated = [&](const std::string& last, std::int32_t count) {
    return last + " (x" + std::to_string(count) + " over " + first + ")";
  };
  if (event.series) {
    return repeated(Since(event.series->lastObservedTime, now), event.series->count);
  }
  if (event.count > 1) return repeated(Since(event.lastTimestamp, now), event.count);
  return first;
}

}  // namespace

void Description::Line(int level, std::string_view text) {
  pending_.append(static_cast<std::size_t>(level) * 2, ' ');
  pending_ += EscapeTerminal(text);
  pending_ += '\n';
}

void Description::Field(int level, std::string_view name, std::string_view value) {
  Line(level, std::string(name) + ":\t" + std::string(value));
}

void Description::Column(std::string_view title, const std::vector<std::string>& values) {
  std::string beside = std::string(title) + ":";
  for (const std::string& value : values) Line(0, std::exchange(beside, "") + "\t" + value);
  if (values.empty()) Line(0, beside + "\t<none>");
}

void Description::Labels(std::string_view title, const api::Map<std::string>& labels) {
  std::vector<std::string> values;
  for (const auto& [key, value] : labels) {
    values.push_back(key);
    values.back().append("=").append(value);
  }
  Column(title, values);
}

void Description::Annotations(std::string_view title, const api::Map<std::string>& annotations) {
  std::vector<std::string> lines;
  for (const auto& [key, text] : annotations) {
    if (key == kLastApplied) continue;
    std::string_view value = text;
    if (value.ends_with('\n')) value.remove_suffix(1);
    if (value.size() + key.size() + 2 <= kLongAnnotation && !value.contains('\n')) {
      lines.push_back(key + ": " + std::string(value));
      continue;
    }
    lines.push_back(key + ":");
    for (const std::string& line : SplitLines(value)) {
      lines.push_back("  " + Shortened(line, kLongAnnotation - 2));
    }
  }
  Column(title, lines);
}

void Description::Events(std::vector<core::v1::Event> events, WallTime now) {
  if (events.empty()) {
    Field(0, "Events", "<none>");
    return;
  }
  Flush();
  StableSort(events, {}, &core::v1::Event::lastTimestamp);
  Line(0, "Events:");
  Line(1, "Type\tReason\tAge\tFrom\tMessage");
  Line(1, "----\t------\t----\t----\t-------");
  for (const core::v1::Event& event : events) {
    const std::string& source =
        event.source.component.empty() ? event.reportingComponent : event.source.component;
    std::string message = Trimmed(event.message);
    if (!event.involvedObject.fieldPath.empty()) {
      message.insert(0, event.involvedObject.fieldPath + ": ");
    }
    Line(1, event.type + "\t" + event.reason + "\t" + IntervalText(event, now) + "\t" + source +
                "\t" + message);
  }
}

void Description::Flush() { aligned_ += tabs_.Align(std::exchange(pending_, {})); }

std::string Description::Take() && {
  Flush();
  return std::move(aligned_);
}

std::string DateText(const api::Time& time) {
  if (time.IsZero()) return "Mon, 01 Jan 0001 00:00:00 +0000";
  const std::time_t seconds = time.unix_seconds();
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return "<invalid>";
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S %z", &local)};
}

template <api::TimeForm kForm>
std::string Since(const api::BasicTime<kForm>& moment, WallTime now) {
  if (moment.IsZero()) return "<unknown>";
  return api::HumanDuration(api::BasicTime<kForm>(now) - moment);
}
template std::string Since(const api::Time& moment, WallTime now);
template std::string Since(const api::MicroTime& moment, WallTime now);

std::string BoolText(bool value) { return value ? "True" : "False"; }

std::string Join(const std::vector<std::string>& texts, std::string_view separator) {
  std::string joined;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) joined += separator;
    joined += text;
  }
  return joined;
}

std::string OrNone(std::string text) {
  if (text.empty()) return "<none>";
  return text;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string ControllerText(const meta::v1::ObjectMeta& metadata) {
  for (const auto& owner : metadata.ownerReferences) {
    if (owner.controller.value_or(false)) return owner.kind + "/" + owner.name;
  }
  return {};
}

std::string SelectorText(const meta::v1::LabelSelector& selector) {
  const auto parsed = api::Selector::FromMessage(selector);
  return parsed ? OrNone(parsed->ToString()) : "<error>";
}

}  // namespace flyball::ctl::describe
