#include "flyball/sandbox/discovery/discovery.h"

#include <algorithm>
#include <cstdint>

#include "flyball/sandbox/accept.h"
#include "flyball/sandbox/discovery/discovery_documents.h"
#include "flyball/sandbox/discovery/served_groups.h"

namespace flyball::sandbox {
namespace {

constexpr std::string_view kAggregatedGroup = "apidiscovery.k8s.io";
constexpr std::string_view kAggregatedVersion = "v2";
constexpr std::string_view kAggregatedList = "APIGroupDiscoveryList";

/// What the client wants first of what can be had; none of the aggregated form if it wants another
/// one first.
std::optional<MediaType> WantsAggregated(const Request& request) {
  for (const AcceptClause& clause : ParseAccept(request.Header("accept"))) {
    const auto media = MediaOf(clause.type, /*protobuf=*/true);
    if (!media) continue;
    if (clause.as.empty()) return std::nullopt;
    if (clause.as == kAggregatedList && clause.group == kAggregatedGroup &&
        clause.version == kAggregatedVersion) {
      return media;
    }
  }
  return std::nullopt;
}

std::string InHex(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[number >> shift & 15];
  return text;
}

template <typename T>
Answer DocumentAnswer(const T& document, const Request& request) {
  const auto media_type = NegotiatedMediaType::Choose(request, /*protobuf=*/true);
  if (!media_type) return Answer::Of(media_type.error(), {});
  return {200, media_type->ContentType(), EncodeResponse(document, *media_type)};
}

Answer AggregatedAnswer(const std::vector<ServedGroup>& groups, bool core, MediaType media,
                        const Request& request) {
  NegotiatedMediaType media_type{.media = media};
  Answer answer{200, std::string(ToString(media)) + ";g=" + std::string(kAggregatedGroup) + ";v=" +
                         std::string(kAggregatedVersion) + ";as=" + std::string(kAggregatedList)};
  answer.body = EncodeResponse(AggregatedDocument(groups, core), media_type);
  answer.headers = {{"vary", "Accept"}};
  return Tagged(std::move(answer), request);
}

}  // namespace

std::string ContentTag(std::string_view body) {
  // Two sums of 64 bits, FNV-1a from two starts: nobody is to be kept from making collisions.
  std::uint64_t first = 0xcbf29ce484222325;
  std::uint64_t second = 0x84222325cbf29ce4;
  for (const char c : body) {
    first = (first ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
    second = (second + static_cast<std::uint8_t>(c)) * 0x9e3779b97f4a7c15;
  }
  return InHex(first) + InHex(second);
}

Answer Tagged(Answer answer, const Request& request) {
  const std::string tag = "\"" + ContentTag(answer.body) + "\"";
  answer.headers.emplace_back("etag", tag);
  if (request.Header("if-none-match") != tag) return answer;
  answer.status = 304;
  answer.body.clear();
  return answer;
}

std::optional<Answer> AnswerDiscovery(const Request& request, const Resources& resources) {
  const auto& path = request.target.path;
  if (path.empty() || (path[0] != "api" && path[0] != "apis")) return std::nullopt;
  const bool core = path[0] == "api";
  const std::size_t parts = path.size() + (core ? 1 : 0);  // as if core's group had a name
  if (parts > 3) return std::nullopt;
  const std::vector<ServedGroup> groups = ServedGroups(resources);
  if (path.size() == 1) {
    if (const auto media = WantsAggregated(request)) {
      return AggregatedAnswer(groups, core, *media, request);
    }
    return core ? DocumentAnswer(CoreVersionsDocument(groups.front()), request)
                : DocumentAnswer(GroupListDocument(groups), request);
  }
  const std::string name = core ? "" : path[1];
  const auto group = std::ranges::find(groups, name, &ServedGroup::name);
  if (group == groups.end()) return std::nullopt;
  if (parts == 2) return DocumentAnswer(GroupDocument(*group), request);
  const ServedVersion* const version = group->Find(path.back());
  if (version == nullptr) return std::nullopt;
  return DocumentAnswer(ResourceListDocument(*group, *version), request);
}

}  // namespace flyball::sandbox
