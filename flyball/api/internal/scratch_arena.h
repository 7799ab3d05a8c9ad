#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace flyball::api {

/// Memory that is handed out piece by piece and taken back all at once. Of what it has taken from
/// the heap it keeps as much as an ordinary object needs.
class ScratchArena {
 public:
  void* Allocate(std::size_t size) {
    size = (size + 7) / 8 * 8;
    while (current_ < chunks_.size() && used_ + size > chunks_[current_].size) {
      ++current_;
      used_ = 0;
    }
    if (current_ == chunks_.size()) {
      const std::size_t room = std::max(size, kChunkSize);
      chunks_.push_back({std::make_unique_for_overwrite<char[]>(room), room});
    }
    void* const piece = chunks_[current_].bytes.get() + used_;
    used_ += size;
    return piece;
  }
  void Reset() {
    current_ = 0;
    used_ = 0;
    std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.size > kChunkSize; });
    if (chunks_.size() <= kChunksKept) return;
    chunks_.resize(kChunksKept);
    chunks_.shrink_to_fit();
  }

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  static constexpr std::size_t kChunkSize = 16 * 1024;
  static constexpr std::size_t kChunksKept = 16;
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  std::size_t used_ = 0;
};

}  // namespace flyball::api
