#include "flyball/sandbox/store_reads.h"

#include <charconv>

#include "flyball/api/base64.h"
#include "flyball/api/json.h"

namespace flyball::sandbox {
namespace {

using api::Json;

ApiStatusError InvalidOptions(FieldError error) {
  return Invalid("meta.k8s.io", "ListOptions", "", {std::move(error)});
}

StatusOr<> CheckMatch(const ListOptions& options) {
  const std::string& match = options.match;
  const auto refuse = [](std::string_view field, std::string why) {
    return std::unexpected(
        InvalidOptions(FieldError::Forbidden(std::string(field), std::move(why))));
  };
  if (options.send_initial_events) {
    if (!options.watch) {
      return refuse("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    if (match == "NotOlderThan") return {};
    FieldErrors errors = {FieldError::Forbidden(
        "resourceVersionMatch",
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")};
    if (!match.empty()) {
      errors.push_back(FieldError::NotSupported("resourceVersionMatch", match, {"NotOlderThan"}));
    }
    return std::unexpected(Invalid("meta.k8s.io", "ListOptions", "", errors));
  }
  if (match.empty()) return {};
  if (options.watch) {
    FieldErrors errors{FieldError::Forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")};
    if (match != "NotOlderThan") {
      errors.push_back(FieldError::NotSupported("resourceVersionMatch", match, {"NotOlderThan"}));
    }
    return std::unexpected(Invalid("meta.k8s.io", "ListOptions", "", errors));
  }
  if (options.resource_version.empty()) {
    return refuse("resourceVersionMatch",
                  "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!options.continue_token.empty()) {
    return refuse("resourceVersionMatch",
                  "resourceVersionMatch is forbidden when continue is "
                  "provided");
  }
  if (match != "Exact" && match != "NotOlderThan") {
    return std::unexpected(InvalidOptions(
        FieldError::NotSupported("resourceVersionMatch", match, {"Exact", "NotOlderThan", ""})));
  }
  if (match == "Exact" && options.resource_version == "0") {
    return refuse("resourceVersionMatch",
                  "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  return {};
}

constexpr std::string_view kTokenForm = "meta.k8s.io/v1";

/// Where a list goes on: the moment, and what came last.
struct Continuation {
  Revision at = 0;  ///< -1: whatever is there now
  std::pair<std::string, std::string> after;

  std::string Token() const {
    Json::Object token;
    token["v"] = kTokenForm;
    token["rv"] = at;
    token["start"] = after.first + "/" + after.second;
    return api::EncodeBase64Url(Json(std::move(token)).ToString());
  }
  static StatusOr<Continuation> Parse(const std::string& token) {
    const auto refuse = [](std::string_view why) {
      return std::unexpected(
          BadRequest("invalid continue token: continue key is not valid: " + std::string(why)));
    };
    const auto text = api::DecodeBase64Url(token);
    if (!text) return refuse(text.error().Describe());
    const auto json = Json::Parse(*text);
    if (!json) return refuse(json.error().Describe());
    const Json* const form = json->Find("v");
    if (form == nullptr || *form != Json(kTokenForm)) {
      const auto* const named = form == nullptr ? nullptr : form->If<std::string>();
      return refuse("server does not recognize this encoded version " +
                    (named == nullptr ? std::string() : *named));
    }
    const Json* const at = json->Find("rv");
    const Json* const start = json->Find("start");
    if (at == nullptr || at->If<std::int64_t>() == nullptr || start == nullptr ||
        start->If<std::string>() == nullptr) {
      return refuse("it has no rv or no start");
    }
    if (*at->If<std::int64_t>() == 0) {
      return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    }
    const std::string& place = *start->If<std::string>();
    const auto slash = place.find('/');
    if (slash == std::string::npos) return refuse("its start is no place");
    return Continuation{*at->If<std::int64_t>(), {place.substr(0, slash), place.substr(slash + 1)}};
  }
};

/// The history is gone; what remains can still be had, as it is now.
ApiStatusError ContinueExpired(Continuation where) {
  where.at = -1;
  meta::v1::Status status =
      Expired(
          "The provided continue parameter is too old to display a consistent list result. You "
          "can start a new list without the continue parameter, or use the continue token in "
          "this response to retrieve the remainder of the results. Continuing with the "
          "provided token results in an inconsistent list - objects that were created, "
          "modified, or deleted between the time the first chunk was returned and now may show "
          "up in the list.")
          .status();
  status.metadata.continue_ = where.Token();
  return ApiStatusError(std::move(status));
}

StatusOr<Storage::Range> StartOf(const Storage& storage, const ListOptions& options) {
  Storage::Range range{.collection = {}, .namespace_ = {}, .after = {}};
  if (!options.continue_token.empty()) {
    if (!options.resource_version.empty() && options.resource_version != "0") {
      return std::unexpected(
          BadRequest("specifying resource version is not allowed when using continue"));
    }
    FLYBALL_TRY(const Continuation where, Continuation::Parse(options.continue_token));
    range.at = where.at < 0 ? 0 : where.at;
    range.after = where.after;
    return range;
  }
  const auto version = options.Version();
  if (!version) {
    return std::unexpected(
        BadRequest("invalid resource version: " + version.error().status().message));
  }
  if (*version > storage.revision()) {
    return std::unexpected(TooLargeResourceVersion(*version, storage.revision()));
  }
  // PARITY: a page of a version is of exactly that version.
  const bool exact =
      options.match == "Exact" || (options.limit > 0 && options.match.empty() && *version > 0);
  if (exact) range.at = *version;
  return range;
}

}  // namespace

StatusOr<ListOptions> ListOptions::Parse(const Query& query, const Kind& kind) {
  ListOptions options;
  options.watch = query.IsTrue("watch");
  options.bookmarks = query.IsTrue("allowWatchBookmarks");
  options.resource_version = query.Get("resourceVersion");
  options.match = query.Get("resourceVersionMatch");
  options.continue_token = query.Get("continue");
  if (query.Has("sendInitialEvents"))
    options.send_initial_events = query.IsTrue("sendInitialEvents");
  FLYBALL_TRY(const auto limit, query.Number("limit"));
  options.limit = std::max<std::int64_t>(limit.value_or(0), 0);
  FLYBALL_TRY(options.timeout_seconds, query.Number("timeoutSeconds"));
  FLYBALL_TRY(options.selection,
              Selection::Parse(kind, query.Get("labelSelector"), query.Get("fieldSelector")));
  FLYBALL_TRY(CheckMatch(options));
  return options;
}

StatusOr<Revision> ListOptions::Version() const {
  if (resource_version.empty()) return 0;
  Revision version = 0;
  const char* const end = resource_version.data() + resource_version.size();
  const auto [stop, error] = std::from_chars(resource_version.data(), end, version);
  if (error == std::errc() && stop == end && version >= 0) return version;
  meta::v1::Status status;
  status.status = "Failure";
  status.code = 500;
  status.message = "resourceVersion: Invalid value: \"" + resource_version +
                   "\": strconv.ParseUint: parsing \"" + resource_version + "\": invalid syntax";
  return std::unexpected(ApiStatusError(std::move(status)));
}

StatusOr<ListPage> ListObjects(const Storage& storage, const std::string& collection,
                               const std::string& namespace_, const ListOptions& options) {
  FLYBALL_TRY(Storage::Range range, StartOf(storage, options));
  range.collection = collection;
  range.namespace_ = namespace_;
  range.limit = static_cast<std::size_t>(options.limit);
  const bool everything = options.selection.Everything();
  ListPage page;
  for (;;) {
    const auto found = storage.List(range);
    if (!found) {
      if (found.error().code() == ErrorCode::kGone && !options.continue_token.empty()) {
        FLYBALL_TRY(const Continuation where, Continuation::Parse(options.continue_token));
        return std::unexpected(ContinueExpired(where));
      }
      if (found.error().code() == ErrorCode::kGone) {
        return std::unexpected(Expired("The resourceVersion for the provided list is too old."));
      }
      return std::unexpected(ApiStatusError(found.error()));
    }
    range.at = found->at;  // what follows is of the same moment
    page.head.resource_version = std::to_string(found->at);
    std::size_t left = found->remaining;
    for (std::size_t i = 0; i < found->entries.size(); ++i) {
      const Entry& entry = found->entries[i];
      range.after = {entry.key->namespace_, entry.key->name};
      RecordPtr record = RecordOf(entry.object);
      if (!everything && !options.selection.Matches(*record)) continue;
      page.records.push_back(std::move(record));
      if (options.limit == 0 || page.records.size() < range.limit) continue;
      left += found->entries.size() - i - 1;
      break;
    }
    if (left == 0) return page;
    if (options.limit == 0 || page.records.size() < range.limit) continue;
    page.head.continue_token = Continuation{range.at, *range.after}.Token();
    if (everything) page.head.remaining = static_cast<std::int64_t>(left);
    return page;
  }
}

}  // namespace flyball::sandbox
