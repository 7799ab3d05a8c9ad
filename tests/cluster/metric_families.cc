#include "tests/cluster/metric_families.h"

#include <algorithm>
#include <sstream>

namespace flyball::cluster {
namespace {

/// The names in `{code="200",le="+Inf"}`. Values may have escaped quotes in them.
void AddLabels(std::string_view text, std::set<std::string>& labels) {
  while (!text.empty() && text.front() != '}') {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string name(text.substr(0, equals));
    if (name != "le" && name != "quantile") labels.insert(name);
    std::size_t end = equals + 2;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    text.remove_prefix(std::min(text.size(), end + 1));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

}  // namespace

std::map<std::string, MetricFamily> ParseMetrics(std::string_view page) {
  std::map<std::string, MetricFamily> families;
  std::string current;
  std::istringstream lines{std::string(page)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) {
      std::istringstream words(line);
      std::string hash;
      std::string what;
      words >> hash >> what >> current;
      std::string rest;
      std::getline(words >> std::ws, rest);
      (what == "TYPE" ? families[current].type : families[current].help) = rest;
    } else if (const std::size_t brace = line.find('{'); brace != std::string::npos) {
      AddLabels(std::string_view(line).substr(brace + 1), families[current].labels);
    }
  }
  return families;
}

}  // namespace flyball::cluster
