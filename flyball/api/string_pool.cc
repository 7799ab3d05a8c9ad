#include "flyball/api/string_pool.h"

#include <cstring>

namespace flyball::api {

static_assert(StringPool::kMaxTextSize < 0x80, "a pooled text's length is one byte");

ViewString StringPool::Find(std::string_view text) {
  if (text.size() > kMaxTextSize) return {};
  if (const auto found = texts_.find(text); found != texts_.end()) return *found;
  if (texts_.size() == kMaxTexts) return {};
  const std::size_t size = 1 + text.size();
  if (chunk_used_ + size > kChunkSize) {
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkSize));
    chunk_used_ = 0;
  }
  char* const at = chunks_.back().get() + chunk_used_;
  chunk_used_ += size;
  *at = static_cast<char>(text.size());
  std::memcpy(at + 1, text.data(), text.size());
  return *texts_.insert(ViewString::FromEncoded(at)).first;
}

}  // namespace flyball::api
