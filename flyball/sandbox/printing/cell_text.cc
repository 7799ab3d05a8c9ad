#include "flyball/sandbox/printing/cell_text.h"

#include "flyball/api/label_selector.h"

namespace flyball::sandbox::printing {
namespace {

/// "3m20s", or "3m" where nothing of the smaller unit is left.
std::string TwoUnits(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small != 0) text += std::to_string(small) + small_unit;
  return text;
}

std::string OneUnit(std::int64_t count, char unit) { return TwoUnits(count, unit, 0, ' '); }

}  // namespace

std::string HumanDuration(std::chrono::nanoseconds duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  // Clocks of two machines may differ a little.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return OneUnit(seconds, 's');
  if (minutes < 10) return TwoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return OneUnit(minutes, 'm');
  if (hours < 8) return TwoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return OneUnit(hours, 'h');
  if (hours < 8 * 24) return TwoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return OneUnit(days, 'd');
  if (days < 8 * 365) return TwoUnits(days / 365, 'y', days % 365, 'd');
  return OneUnit(days / 365, 'y');
}

std::string InLowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string FirstFew(const std::vector<std::string>& texts, std::size_t few,
                     std::string_view separator) {
  if (texts.size() <= few) return Join(texts, separator);
  const std::vector<std::string> first(texts.begin(),
                                       texts.begin() + static_cast<std::ptrdiff_t>(few));
  return Join(first, separator) + " + " + std::to_string(texts.size() - few) + " more...";
}

std::string LabelsText(const api::Map<std::string>& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ",";
    text += key + "=" + value;
  }
  return Or(text, "<none>");
}

std::string SelectorText(const meta::v1::LabelSelector& selector) {
  const auto parsed = api::Selector::FromMessage(selector);
  return parsed ? Or(parsed->ToString(), "<none>") : "<error>";
}

std::string ContainerNames(const std::vector<core::v1::Container>& containers) {
  std::vector<std::string_view> names;
  for (const auto& container : containers) names.push_back(container.name);
  return Join(names);
}

std::string ContainerImages(const std::vector<core::v1::Container>& containers) {
  std::vector<std::string_view> images;
  for (const auto& container : containers) images.push_back(container.image);
  return Join(images);
}

}  // namespace flyball::sandbox::printing
