#include "flyball/endpoints/accepts_gzip.h"

#include <ranges>
#include <string_view>

namespace flyball::endpoints {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool AcceptsGzip(const transport::Headers& headers) {
  const std::string_view accepted = transport::FindHeader(headers, "accept-encoding");
  for (const auto part : std::views::split(accepted, ',')) {
    const std::string_view choice(part.begin(), part.end());
    const std::size_t end = choice.find(';');
    if (Trimmed(choice.substr(0, end)) != "gzip") continue;
    const std::string_view weight =
        end == std::string_view::npos ? "" : Trimmed(choice.substr(end + 1));
    return weight.find_first_not_of("q=0.") != std::string_view::npos || weight.empty();
  }
  return false;
}

}  // namespace flyball::endpoints
