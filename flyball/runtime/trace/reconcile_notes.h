#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/client/resource.h"
#include "flyball/runtime/trace/reconcile_record.h"

namespace flyball::runtime {

/// What a reconcile decides and writes, while it does. One thread.
class ReconcileNotes {
 public:
  void Decided(std::string what) { decided_.push_back(std::move(what)); }
  /// `error` is null if it was stored. Of very many writes in one reconcile only the first are kept
  /// one by one.
  void Wrote(TracedWrite::Verb verb, const client::Resource& resource, std::string_view name,
             std::string_view subresource, const Error* error);

  /// Moves all of that into the record.
  void MoveTo(ReconcileRecord& record);

 private:
  std::vector<std::string> decided_;
  std::vector<TracedWrite> writes_;
  std::uint32_t left_out_ = 0;
};

}  // namespace flyball::runtime
