#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/sandbox/objects.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/response_encoder.h"

/// The verbs that look and do not touch.
namespace flyball::sandbox {

/// What a list or watch asks for.
struct ListOptions {
  Selection selection;
  bool watch = false;
  bool bookmarks = false;
  std::string resource_version;
  std::string match;  ///< resourceVersionMatch
  std::optional<bool> send_initial_events;
  std::int64_t limit = 0;
  std::string continue_token;
  std::optional<std::int64_t> timeout_seconds;

  static StatusOr<ListOptions> Parse(const Query& query, const Kind& kind);
  /// As a number; 0 for none, and for "any".
  StatusOr<Revision> Version() const;
};

struct ListPage {
  ListHead head;
  std::vector<RecordPtr> records;
};

/// One page of a collection, or of a namespace of it.
StatusOr<ListPage> ListObjects(const Storage& storage, const std::string& collection,
                               const std::string& namespace_, const ListOptions& options);

}  // namespace flyball::sandbox
