#pragma once

#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "flyball/api/view.h"

namespace flyball::api {

/// Keeps texts that come back in object after object (label keys, condition types, node names) once
/// for all of them. What is in stays in, so the pool is bounded: when it is full, or for a text
/// that is too long to be one of few, Find() declines and the object keeps a copy of its own.
///
/// One thread at a time; texts may be read by any thread for as long as the pool lives.
class StringPool {
 public:
  static constexpr std::size_t kMaxTextSize = 100;
  static constexpr std::size_t kMaxTexts = 65'536;

  /// The kept text, adding it if there is room; empty if there is none.
  ViewString Find(std::string_view text);

  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
    std::size_t operator()(ViewString text) const { return (*this)(text.view()); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };

  static constexpr std::size_t kChunkSize = 16 * 1024;
  std::unordered_set<ViewString, Hash, Equal> texts_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_used_ = kChunkSize;
};

}  // namespace flyball::api
