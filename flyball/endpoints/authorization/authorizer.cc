#include "flyball/endpoints/authorization/authorizer.h"

#include <algorithm>

namespace flyball::endpoints {
namespace {

constexpr std::string_view kMasters = "system:masters";

std::string_view WithoutSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace

Result<OpenPaths> OpenPaths::Parse(const std::vector<std::string>& paths) {
  OpenPaths open;
  for (const std::string& each : paths) {
    const std::string path(WithoutSlash(each));
    const std::size_t star = path.find('*');
    if (star == std::string::npos) {
      open.paths_.insert(path);
    } else if (star + 1 == path.size()) {
      open.prefixes_.push_back(path.substr(0, star));
    } else {
      return Fail(ErrorCode::kInvalid, "only trailing * allowed in \"" + path + "\"");
    }
  }
  return open;
}

bool OpenPaths::Contains(std::string_view path) const {
  path = WithoutSlash(path);
  return paths_.contains(path) || std::ranges::any_of(prefixes_, [&](const auto& prefix) {
           return path.starts_with(prefix);
         });
}

Result<Verdict> Authorizer::Authorize(const Attributes& attributes) const {
  if (std::ranges::find(attributes.user.groups, kMasters) != attributes.user.groups.end()) {
    return Verdict{Decision::kAllowed};
  }
  if (open_.Contains(attributes.path)) return Verdict{Decision::kAllowed};
  if (reviews_ == nullptr) return Verdict{Decision::kNoOpinion};
  return reviews_->Authorize(attributes);
}

}  // namespace flyball::endpoints
