#pragma once

#include <string>
#include <vector>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/manifest.h"

namespace flyball::ctl {

struct GetOptions {
  std::vector<std::string> words = {};  ///< `pods web-0`, `deploy/web`
  Files files = {};
  std::string output = {};
  std::string selector = {};
  std::string field_selector = {};
  bool all_namespaces = false;
  bool watch = false;
  bool watch_only = false;  ///< without what is there already
  bool no_headers = false;
  bool show_labels = false;
  bool show_kind = false;
  bool show_managed_fields = false;
  bool ignore_not_found = false;
  std::vector<std::string> label_columns = {};
  std::int64_t chunk_size = 500;
};

/// Shows objects: as tables that the server makes, or whole. With `watch` it goes on to show them
/// whenever they change, until the server ends that.
Errors Get(Cluster& cluster, const GetOptions& options);

}  // namespace flyball::ctl
