#include "flyball/api/string_pool.h"

#include <cstring>

namespace flyball::api {

StringPool::Table::Entry& StringPool::Table::Find(std::string_view bytes, std::uint32_t hash) {
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    Entry& entry = entries_[i];
    if (!entry.at) return entry;
    if (entry.hash == hash && std::string_view(entry.at, entry.size) == bytes) return entry;
  }
}

void StringPool::Table::Filled() {
  if (++used_ * 4 < entries_.size() * 3) return;
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.at) Find({entry.at, entry.size}, entry.hash) = entry;
  }
}

char* StringPool::Allocate(std::size_t size) {
  bytes_ += size;
  if (chunk_used_ + size > kChunkSize) {
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkSize));
    chunk_used_ = 0;
  }
  char* const at = chunks_.back().get() + chunk_used_;
  chunk_used_ += size;
  return at;
}

ViewString StringPool::FindText(std::string_view text) {
  if (text.size() > kMaxTextSize) return {};
  const std::uint32_t hash = HashOf(text);
  Table::Entry& entry = texts_.Find(text, hash);
  if (entry.at) return ViewString::FromEncoded(entry.at - 1);
  char* const at = Allocate(1 + text.size());
  *at = static_cast<char>(text.size());
  std::memcpy(at + 1, text.data(), text.size());
  entry = {at + 1, static_cast<std::uint32_t>(text.size()), hash};
  texts_.Filled();
  return ViewString::FromEncoded(at);
}

const void* StringPool::FindBlock(std::string_view bytes) {
  if (bytes.size() > kMaxBlockSize) return nullptr;
  const std::uint32_t hash = HashOf(bytes);
  Table::Entry& entry = blocks_.Find(bytes, hash);
  if (entry.at) return entry.at;
  chunk_used_ = (chunk_used_ + 7) / 8 * 8;
  char* const at = Allocate(bytes.size());
  std::memcpy(at, bytes.data(), bytes.size());
  entry = {at, static_cast<std::uint32_t>(bytes.size()), hash};
  blocks_.Filled();
  return at;
}

}  // namespace flyball::api
