#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "flyball/api/view.h"

namespace flyball::api {

/// Keeps what comes back in object after object (label keys, condition types, the labels and owner
/// that all replicas have in common) once for all of them. What is in stays in, so the pool is
/// bounded: a piece too large to be one of many is declined, and when the pool is full() its owner
/// starts a new one and lets this one go with the last object that points into it.
///
/// One thread at a time; what it keeps may be read by any thread for as long as the pool lives.
class StringPool {
 public:
  static constexpr std::size_t kMaxTextSize = 0x7f;  ///< its length fits one byte
  static constexpr std::size_t kMaxBlockSize = 1024;

  /// The kept text; empty if the text is too long.
  ViewString FindText(std::string_view text);
  /// The kept copy of these bytes, aligned for anything; null if there are too many.
  const void* FindBlock(std::string_view bytes);

  bool full() const { return bytes_ > kMaxBytes; }

 private:
  static constexpr std::size_t kMaxBytes = 8 * 1024 * 1024;
  static constexpr std::size_t kChunkSize = 16 * 1024;

  /// A hash table with no nodes: a pooled piece costs its bytes and about twelve more.
  class Table {
   public:
    struct Entry {
      const char* at = nullptr;
      std::uint32_t size = 0;
      std::uint32_t hash = 0;
    };
    /// The entry for these bytes, or the free place where they belong.
    Entry& Find(std::string_view bytes, std::uint32_t hash);
    void Filled();

   private:
    std::vector<Entry> entries_{64};
    std::size_t used_ = 0;
  };

  char* Allocate(std::size_t size);
  static std::uint32_t HashOf(std::string_view bytes) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(bytes));
  }

  Table texts_;
  Table blocks_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_used_ = kChunkSize;
  std::size_t bytes_ = 0;
};

}  // namespace flyball::api
