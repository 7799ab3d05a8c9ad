#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/client/discovery.h"

/// What people call resources on a command line: `pods`, `po`, `pod`, `Deployment`,
/// `deployments.apps`, `deployments.v1.apps`, `deploy/web`, `pods web-0 web-1`, `svc,cm`, `all`.
namespace flyball::ctl {

/// The resource that a word means, of all that a server has. Where groups have the same one, the
/// first of them counts, and of its versions the one that it prefers.
Result<const client::ServedResource*> FindResource(const client::Served& served,
                                                   std::string_view text);

/// The same by what a manifest says.
Result<const client::ServedResource*> FindKind(const client::Served& served,
                                               std::string_view api_version, std::string_view kind);

/// One thing that a command is about.
struct Target {
  const client::ServedResource* resource = nullptr;
  std::string name = {};  ///< empty: all of them, or those that a selector chooses
  friend bool operator==(const Target&, const Target&) = default;
};

/// What the words behind a verb name. Each has a name, or none has. Their resources are `served`'s.
Result<std::vector<Target>> ParseTargets(const client::Served& served,
                                         std::span<const std::string> words);

/// "deployment.apps", as kubectl names a kind before a slash or a quoted name.
std::string KindText(const client::Resource& resource);
std::string InLowerCase(std::string_view text);

}  // namespace flyball::ctl
