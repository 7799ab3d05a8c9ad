#include "flyball/endpoints/metrics_page.h"

#include <utility>

#include "flyball/endpoints/accepts_gzip.h"
#include "flyball/serving/gzip.h"

namespace flyball::endpoints {
namespace {

/// Quick: metrics are read over local networks, and much alike from line to line.
constexpr int kGzipLevel = 3;

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

transport::Response MetricsPage::Answer(const Call& call) {
  process_.Refresh();
  return MetricsText(registry_.Text(), call.request);
}

}  // namespace flyball::endpoints
