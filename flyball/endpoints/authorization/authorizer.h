#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/endpoints/authorization/access_reviews.h"
#include "flyball/endpoints/authorization/attributes.h"

namespace flyball::endpoints {

/// Paths that are open to all: "/healthz", or "/debug/*" for all that begins so. The slash at the
/// front may be left out.
class OpenPaths {
 public:
  /// A star that is not at the end is an error.
  static Result<OpenPaths> Parse(const std::vector<std::string>& paths);

  bool Contains(std::string_view path) const;

 private:
  std::set<std::string, std::less<>> paths_;
  std::vector<std::string> prefixes_;
};

/// Who may see what. Some may without anybody being asked: members of system:masters, and everyone
/// on open paths, so that a probe does not depend on the API server. Of the others the API server
/// knows.
///
/// Any thread; blocks while the API server is asked.
class Authorizer {
 public:
  /// Without `reviews`, nobody else may.
  Authorizer(OpenPaths open, AccessReviews* reviews) : open_(std::move(open)), reviews_(reviews) {}

  /// An error: it could not be found out, and so it is not allowed.
  Result<Verdict> Authorize(const Attributes& attributes) const;
  bool IsOpen(std::string_view path) const { return open_.Contains(path); }

 private:
  const OpenPaths open_;
  AccessReviews* const reviews_;
};

}  // namespace flyball::endpoints
