#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "flyball/api/type_info.h"
#include "flyball/api/utf8.h"

/// Where a decoder is.
namespace flyball::api {

/// How deep an object may nest, in messages on the wire or in JSON values. Upstream's deepest type
/// (a CRD's schema inside schemas) stays far below; what goes deeper is an attack on the stack.
inline constexpr int kMaxDepth = 100;

/// Thrown inside a decoder and caught where the decoder was entered: input is wrong.
struct DecodeFailure {
  std::string message;
};

/// How much memory an input may make of itself. An empty message takes two bytes on the wire and up
/// to 2,600 in memory, so that the sixteen megabytes of a watch frame could ask for twenty
/// gigabytes. Objects as the API server sends them take a few times their size; what takes more
/// than this is an attack.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t input_size) : left_(kFloor + kFactor * input_size) {}

  /// Throws unless there is room for `bytes`.
  void Require(std::size_t bytes) const {
    if (bytes > left_) throw DecodeFailure{"takes more memory than an input of its size may"};
  }
  void Spend(std::size_t bytes) {
    Require(bytes);
    left_ -= bytes;
  }

 private:
  static constexpr std::size_t kFloor = 64UL << 20;
  static constexpr std::size_t kFactor = 32;
  std::size_t left_;
};

/// The fields from the outermost object to the place being read. Pushing and popping are two
/// stores, so that a good object pays next to nothing for the path that a bad one reports.
///
/// Frames are popped by hand, not by a destructor: after a throw the path still says where.
class DecodePath {
 public:
  void Push(std::string_view name) {
    if (depth_ == kMaxDepth) throw DecodeFailure{"nested deeper than 100 levels"};
    frames_[static_cast<std::size_t>(depth_++)] = {name, kNoIndex, {}};
  }
  void SetIndex(std::size_t index) { Top().index = static_cast<std::int64_t>(index); }
  void SetKey(std::string_view key) { Top().key = key; }
  void Pop() { --depth_; }
  void Reset() { depth_ = 0; }
  int depth() const { return depth_; }

  /// "spec.containers[2].image", "metadata.labels[app]".
  std::string ToString() const {
    std::string text;
    for (int i = 0; i < depth_; ++i) {
      const Frame& frame = frames_[static_cast<std::size_t>(i)];
      if (!text.empty() && !frame.name.empty()) text += '.';
      text += frame.name;
      if (frame.index != kNoIndex) text.append("[").append(std::to_string(frame.index)).append("]");
      if (frame.key.data())
        text.append("[").append(ToValidUtf8(std::string(frame.key))).append("]");
    }
    return text;
  }

 private:
  static constexpr std::int64_t kNoIndex = -1;
  struct Frame {
    std::string_view name;
    std::int64_t index;
    std::string_view key;
  };
  Frame& Top() { return frames_[static_cast<std::size_t>(depth_ - 1)]; }

  int depth_ = 0;
  std::array<Frame, kMaxDepth> frames_;
};

}  // namespace flyball::api
