#include "flyball/sandbox/faults/event_frames.h"

namespace flyball::sandbox {

std::optional<std::string> EventFrames::Next() {
  std::size_t size = 0;
  if (protobuf_) {
    constexpr std::size_t kLength = 4;
    if (bytes_.size() < kLength) return std::nullopt;
    for (std::size_t i = 0; i < kLength; ++i) {
      size = size << 8 | static_cast<unsigned char>(bytes_[i]);
    }
    size += kLength;
  } else {
    const auto end = bytes_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    size = end + 1;
  }
  if (bytes_.size() < size) return std::nullopt;
  std::string frame = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return frame;
}

}  // namespace flyball::sandbox
