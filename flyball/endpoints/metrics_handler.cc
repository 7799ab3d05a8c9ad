#include "flyball/endpoints/metrics_handler.h"

#include <string_view>
#include <utility>

#include "flyball/endpoints/accepts_gzip.h"
#include "flyball/serving/gzip.h"

namespace flyball::endpoints {
namespace {

/// Quick: metrics are read over local networks, and much alike from line to line.
constexpr int kGzipLevel = 3;

/// The text without these families, each of which begins with its help.
std::string Without(const std::set<std::string, std::less<>>& hidden, std::string_view text) {
  constexpr std::string_view kHelp = "# HELP ";
  std::string shown;
  while (!text.empty()) {
    std::size_t end = text.find("\n# HELP ");
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view name =
        text.substr(kHelp.size(), text.find(' ', kHelp.size()) - kHelp.size());
    if (!hidden.contains(name)) shown += text.substr(0, end);
    text.remove_prefix(end);
  }
  return shown;
}

}  // namespace

transport::Response MetricsText(std::string text, const transport::Request& request) {
  transport::Response response;
  response.status = 200;
  // DIVERGES: upstream also has this in protobuf, for scrapers that ask for it first.
  response.headers = {
      {"content-type", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"}};
  response.body = std::move(text);
  if (AcceptsGzip(request.headers)) {
    response.headers.emplace_back("content-encoding", "gzip");
    response.body = serving::Gzip(response.body, kGzipLevel);
  }
  return response;
}

transport::Response MetricsHandler::Answer(const Call& call) {
  process_.Refresh();
  std::string text = registry_.Text();
  if (!hidden_.empty()) text = Without(hidden_, text);
  return MetricsText(std::move(text), call.request);
}

}  // namespace flyball::endpoints
