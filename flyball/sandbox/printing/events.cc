#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

constexpr Column kEventColumns[] = {
    {"Last Seen"},     {"Type"},
    {"Reason"},        {"Object"},
    Wide("Subobject"), Wide("Source"),
    {"Message"},       Wide("First Seen"),
    Wide("Count"),     {.name = "Name", .format = "name", .priority = 1}};

std::string TargetOf(const core::v1::ObjectReference& object) {
  const std::string kind = InLowerCase(object.kind);
  return object.name.empty() ? kind : kind + "/" + object.name;
}

std::string SourceOf(std::string_view component, std::string_view instance) {
  std::string text(component);
  if (!instance.empty()) text += ", " + std::string(instance);
  return text;
}

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

/// When it was seen, and how often.
struct Seen {
  std::string first, last;
  std::int64_t count = 0;
};

Seen SeenOf(const core::v1::Event& event, WallTime now) {
  Seen seen;
  seen.first = event.firstTimestamp.IsZero() ? Since(event.eventTime, now)
                                             : Since(event.firstTimestamp, now);
  seen.last = event.lastTimestamp.IsZero() ? seen.first : Since(event.lastTimestamp, now);
  seen.count = event.count == 0 ? 1 : event.count;
  if (event.series) {
    seen.last = Since(event.series->lastObservedTime, now);
    seen.count = event.series->count;
  }
  return seen;
}

Cells EventCells(const core::v1::Event& event, WallTime now) {
  const Seen seen = SeenOf(event, now);
  return {seen.last,
          event.type,
          event.reason,
          TargetOf(event.involvedObject),
          event.involvedObject.fieldPath,
          SourceOf(Or(event.source.component, event.reportingComponent),
                   Or(event.source.host, event.reportingInstance)),
          Trimmed(event.message),
          seen.first,
          seen.count,
          event.metadata.name};
}

constexpr Printer kPrinters[] = {For<core::v1::Event, EventCells>(kEventColumns)};

}  // namespace

std::span<const Printer> EventPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
