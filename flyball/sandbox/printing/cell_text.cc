#include "flyball/sandbox/printing/cell_text.h"

#include "flyball/api/label_selector.h"

namespace flyball::sandbox::printing {
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
