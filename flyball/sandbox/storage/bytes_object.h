#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/sandbox/storage/entry.h"

namespace flyball::sandbox {

/// An object that is its bytes and nothing else.
class BytesObject final : public StoredObject {
 public:
  explicit BytesObject(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return bytes_; }

 private:
  const std::string bytes_;
};

inline StoredPtr MakeBytes(std::string bytes) {
  return std::make_shared<const BytesObject>(std::move(bytes));
}

}  // namespace flyball::sandbox
