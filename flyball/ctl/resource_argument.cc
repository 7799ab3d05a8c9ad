#include "flyball/ctl/resource_argument.h"

#include <algorithm>

#include "flyball/ctl/error_text.h"

namespace flyball::ctl {
namespace {

using client::ServedResource;

/// `resource.group`, or `resource.version.group`, where the two parts cannot be told apart by
/// their looks.
struct Word {
  std::string resource;
  std::string version;
  std::string group;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; (end = text.find(separator)) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

/// The readings of a word, the likelier first.
std::vector<Word> ReadingsOf(std::string_view text) {
  const std::string word = InLowerCase(text);
  const std::size_t first = word.find('.');
  if (first == std::string::npos) return {{word, "", ""}};
  const std::string resource = word.substr(0, first);
  const std::string rest = word.substr(first + 1);
  std::vector<Word> readings;
  if (const std::size_t second = rest.find('.'); second != std::string::npos) {
    readings.push_back({resource, rest.substr(0, second), rest.substr(second + 1)});
  }
  readings.push_back({resource, "", rest});
  return readings;
}

bool Fits(const ServedResource& served, const Word& word) {
  const client::Resource& resource = served.resource;
  if (!word.version.empty())
    return resource.group == word.group && resource.version == word.version;
  return served.preferred && (word.group.empty() || resource.group == word.group);
}

/// The first that fits a word and is called so.
template <typename IsCalled>
const ServedResource* Find(const client::Served& served, const Word& word, IsCalled is_called) {
  const auto found = std::ranges::find_if(served.resources, [&](const ServedResource& candidate) {
    return Fits(candidate, word) && is_called(candidate);
  });
  return found == served.resources.end() ? nullptr : &*found;
}

const ServedResource* Find(const client::Served& served, const Word& word) {
  const auto by_name = [&](const ServedResource& candidate) {
    return candidate.resource.plural == word.resource || candidate.singular == word.resource;
  };
  const auto by_short_name = [&](const ServedResource& candidate) {
    return std::ranges::find(candidate.short_names, word.resource) != candidate.short_names.end();
  };
  const auto by_kind = [&](const ServedResource& candidate) {
    return InLowerCase(candidate.resource.kind) == word.resource;
  };
  if (const auto* found = Find(served, word, by_name)) return found;
  if (const auto* found = Find(served, word, by_short_name)) return found;
  return Find(served, word, by_kind);
}

/// The resources that `all` and its like stand for; none if the word is no such name.
std::vector<const ServedResource*> InCategory(const client::Served& served,
                                              std::string_view category) {
  std::vector<const ServedResource*> found;
  for (const ServedResource& resource : served.resources) {
    const auto& all = resource.categories;
    if (resource.preferred && std::ranges::find(all, category) != all.end()) {
      found.push_back(&resource);
    }
  }
  return found;
}

Result<Target> ParsePair(const client::Served& served, const std::string& word) {
  const std::vector<std::string> parts = Split(word, '/');
  if (parts.size() > 2) {
    return std::unexpected(
        UsageError("arguments in resource/name form may not have more than one slash"));
  }
  if (parts[0].empty() || parts[1].empty() || parts[0].contains(',')) {
    return std::unexpected(
        UsageError("arguments in resource/name form must have a single resource and name"));
  }
  FLYBALL_TRY(const auto* resource, FindResource(served, parts[0]));
  return Target{resource, parts[1]};
}

/// `svc,cm` or `all`, each resource once.
Result<std::vector<Target>> ParseTypes(const client::Served& served, std::string_view words) {
  std::vector<Target> targets;
  const auto add = [&](const ServedResource* resource) {
    const Target target{resource};
    if (std::ranges::find(targets, target) == targets.end()) targets.push_back(target);
  };
  for (const std::string& word : Split(words, ',')) {
    if (word.empty()) continue;
    const auto category = InCategory(served, word);
    std::ranges::for_each(category, add);
    if (!category.empty()) continue;
    FLYBALL_TRY(const auto* resource, FindResource(served, word));
    add(resource);
  }
  return targets;
}

}  // namespace

Result<const ServedResource*> FindResource(const client::Served& served, std::string_view text) {
  const std::vector<Word> readings = ReadingsOf(text);
  for (const Word& word : readings) {
    if (const ServedResource* found = Find(served, word)) return found;
  }
  const Word& word = readings.back();
  std::string message = "the server doesn't have a resource type \"" + word.resource + "\"";
  if (!word.group.empty()) message += " in group \"" + word.group + "\"";
  return std::unexpected(UsageError(std::move(message)));
}

Result<const ServedResource*> FindKind(const client::Served& served, std::string_view api_version,
                                       std::string_view kind) {
  const auto found = std::ranges::find_if(served.resources, [&](const ServedResource& candidate) {
    return candidate.resource.kind == kind && candidate.resource.ApiVersion() == api_version;
  });
  if (found != served.resources.end()) return &*found;
  return std::unexpected(UsageError("no matches for kind \"" + std::string(kind) +
                                    "\" in version \"" + std::string(api_version) + "\""));
}

Result<std::vector<Target>> ParseTargets(const client::Served& served,
                                         std::span<const std::string> words) {
  if (words.empty()) return std::vector<Target>();
  std::vector<std::string> pairs(words.begin(), words.end());
  if (words.size() > 1 && words[0].contains(',')) {
    pairs.clear();
    for (const std::string& type : Split(words[0], ',')) {
      for (const std::string& name : words.subspan(1)) pairs.push_back(type + "/" + name);
    }
  }
  const auto has_slash = [](const std::string& word) { return word.contains('/'); };
  std::vector<Target> targets;
  if (std::ranges::all_of(pairs, has_slash)) {
    for (const std::string& pair : pairs) {
      FLYBALL_TRY(Target target, ParsePair(served, pair));
      targets.push_back(std::move(target));
    }
    return targets;
  }
  if (std::ranges::any_of(pairs, has_slash)) {
    return std::unexpected(UsageError(
        "there is no need to specify a resource type as a separate argument when passing arguments "
        "in resource/name form (e.g. 'flyball get resource/<resource_name>' instead of 'flyball "
        "get "
        "resource resource/<resource_name>'"));
  }
  FLYBALL_TRY(targets, ParseTypes(served, words[0]));
  if (words.size() == 1) return targets;
  if (targets.size() != 1) {
    return std::unexpected(UsageError("you must specify only one resource"));
  }
  const ServedResource* const resource = targets.front().resource;
  targets.clear();
  for (const std::string& name : words.subspan(1)) targets.push_back({resource, name});
  return targets;
}

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string KindText(const client::Resource& resource) {
  std::string text = InLowerCase(resource.kind);
  if (!resource.group.empty()) text += "." + resource.group;
  return text;
}

}  // namespace flyball::ctl
