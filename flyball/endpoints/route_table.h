#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/endpoints/http_handler.h"

namespace flyball::endpoints {

/// Which page a path has. Any thread may add pages at any time, as controllers do that come late.
class RouteTable {
 public:
  enum class Listing : bool { kListed, kUnlisted };

  /// For this path, and no other. One that has a page already gets this instead.
  void Add(std::string path, HttpHandler http_handler, Listing listing = Listing::kListed);
  /// For all that begins with this and has no page of its own. Ends in a slash.
  void AddPrefix(std::string prefix, HttpHandler http_handler,
                 Listing listing = Listing::kUnlisted);

  /// Of several prefixes the longest counts. Null: none.
  std::shared_ptr<const HttpHandler> Find(std::string_view path) const;
  /// What people may be told about, in order.
  std::vector<std::string> Listed() const;

 private:
  struct Route {
    std::shared_ptr<const HttpHandler> http_handler;
    Listing listing;
  };
  using Routes = std::map<std::string, Route, std::less<>>;

  mutable Mutex mutex_;
  Routes exact_ FLYBALL_GUARDED_BY(mutex_);
  Routes prefixes_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::endpoints
