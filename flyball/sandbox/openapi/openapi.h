#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/discovery/served_groups.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

/// Answers requests for schemas: /openapi/v3, which lists the documents that there are, and
/// /openapi/v3/apis/GROUP/VERSION. Documents are made when they are first asked for, and again when
/// their resources change. Any thread.
/// DIVERGES: only as JSON, and /openapi/v2 has nothing in it; clients take the newer one.
class OpenApi {
 public:
  explicit OpenApi(const Resources& resources) : resources_(resources) {}

  /// None if the path is another.
  std::optional<Answer> AnswerPath(const Request& request);

 private:
  struct Document {
    std::vector<ResourcePtr> made_from;
    std::shared_ptr<const std::string> text;
  };

  std::shared_ptr<const std::string> TextOf(const ServedGroup& group, const ServedVersion& version);

  const Resources& resources_;

  Mutex mutex_;
  std::map<std::string, Document> documents_ FLYBALL_GUARDED_BY(mutex_);  // by path
};

}  // namespace flyball::sandbox
