#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::parity {

/// What came of a scenario: what there was at each of its checkpoints.
struct Record {
  struct Checkpoint {
    std::string name;
    api::Json portrait;
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
  };
  std::vector<Checkpoint> checkpoints = {};

  api::Json ToJson() const;
  friend bool operator==(const Record&, const Record&) = default;
};

/// The language that records are written in. Raise it when portraits or the form below change, and
/// record all scenarios anew (`make parity-records`); record_test.cc has a record that shows when.
inline constexpr int kDialect = 1;

/// What a record in the tree was made from. Where that is not what it would be made from today, it
/// is stale.
struct RecordSource {
  int dialect = kDialect;
  std::string kubernetes = {};  ///< upstream's version
  std::string scenario = {};    ///< Scenario::digest

  /// Empty if it is the same, else how it is not and how to mend that.
  std::string StaleFor(const RecordSource& today, const std::string& scenario_name) const;
  friend bool operator==(const RecordSource&, const RecordSource&) = default;
};

/// A record as it stands in the tree, in lines that show in a diff what another Kubernetes does:
///
///   checkpoint: made
///   + pods/web-<2> in parity-web like pods/web-<1> in parity-web
///     spec.nodeName: "<node>"
///   ~ deployments.apps/web in parity-web
///     metadata.managedFields[1]: {"apiVersion":"apps/v1",...}
///     -status.conditions
///   - secrets/token in parity-web
///   ! {"involvedObject":{...},"message":"Created pod: web-<2>",...}
///   -! SuccessfulCreate of ReplicaSet/web: Created pod: web-<1>
///
/// An object that is new is written whole, or as far as it is not like another with the names
/// exchanged; of one that was there at the checkpoint before, what has changed since. What every
/// namespace has is taken to be there, and so is not written. `!` is an event.
struct RecordFile {
  RecordSource source = {};
  Record record = {};

  /// `space` is the scenario's namespace.
  std::string ToText(const std::string& scenario, const std::string& space) const;
  static Result<RecordFile> Parse(std::string_view text, const std::string& scenario,
                                  const std::string& space);
  friend bool operator==(const RecordFile&, const RecordFile&) = default;
};

/// A tree as people read it: a line a member, indented.
std::string Pretty(const api::Json& tree);

}  // namespace flyball::parity
