#include "flyball/endpoints/route_table.h"

#include <algorithm>
#include <utility>

#include "flyball/base/check.h"

namespace flyball::endpoints {

void RouteTable::Add(std::string path, HttpHandler http_handler, Listing listing) {
  auto shared = std::make_shared<const HttpHandler>(std::move(http_handler));
  MutexLock lock(mutex_);
  exact_.insert_or_assign(std::move(path), Route{std::move(shared), listing});
}

void RouteTable::AddPrefix(std::string prefix, HttpHandler http_handler, Listing listing) {
  FLYBALL_CHECK(prefix.ends_with('/'), "a prefix must end in a slash: " + prefix);
  auto shared = std::make_shared<const HttpHandler>(std::move(http_handler));
  MutexLock lock(mutex_);
  prefixes_.insert_or_assign(std::move(prefix), Route{std::move(shared), listing});
}

std::shared_ptr<const HttpHandler> RouteTable::Find(std::string_view path) const {
  MutexLock lock(mutex_);
  if (const auto found = exact_.find(path); found != exact_.end())
    return found->second.http_handler;
  // Those that are prefixes of one path are prefixes of each other: the longest has most slashes.
  const Route* best = nullptr;
  for (const auto& [prefix, route] : prefixes_) {
    if (path.starts_with(prefix)) best = &route;
  }
  return best == nullptr ? nullptr : best->http_handler;
}

std::vector<std::string> RouteTable::Listed() const {
  std::vector<std::string> paths;
  {
    MutexLock lock(mutex_);
    for (const Routes* routes : {&exact_, &prefixes_}) {
      for (const auto& [path, route] : *routes) {
        if (route.listing == Listing::kListed) paths.push_back(path);
      }
    }
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace flyball::endpoints
