#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace flyball {

/// Where log lines go. Any thread may write.
class LogSink {
 public:
  virtual ~LogSink() = default;

  /// Takes a whole line with its line break. Lines come out whole, whoever else writes. Never
  /// fails, throws or waits: a line that cannot go now is dropped.
  virtual void Write(std::string_view line) noexcept = 0;
};

/// Writes to a file descriptor, stderr for one, which stays its owner's. Nothing that happens to
/// the other end harms the product: if the disk is full, the descriptor closed, the reader gone
/// (its SIGPIPE is caught) or a pipe full because its reader hangs, lines are dropped and counted.
///
/// A line is one write(), but for those of over 4 KiB to what is not a file: more than that may
/// block even when the kernel says that there is room.
class FdLogSink final : public LogSink {
 public:
  explicit FdLogSink(int fd);

  void Write(std::string_view line) noexcept override;

  /// Lines lost, in whole or in part.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::size_t WriteWhatGoes(std::string_view text) noexcept;

  const int fd_;
  const std::size_t longest_write_;
  std::atomic<std::uint64_t> dropped_ = 0;

  std::mutex mutex_;
  bool inside_line_ = false;  // guarded by mutex_: the last line was cut off
};

/// Keeps everything, for tests.
class StringLogSink final : public LogSink {
 public:
  void Write(std::string_view line) noexcept override;

  std::string text() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::string text_;  // guarded by mutex_
};

}  // namespace flyball
