#include "flyball/base/log_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace flyball {
namespace {

/// A pipe whose ends close with the test.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    CloseReader();
    close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void CloseReader() {
    if (ends_[0] != -1) close(ends_[0]);
    ends_[0] = -1;
  }
  /// What is in the pipe now.
  std::string Read() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string text(1 << 20, '\0');
    const ssize_t size = read(ends_[0], text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(FdLogSink, WritesWhatItIsGiven) {
  Pipe pipe;
  FdLogSink sink(pipe.writer());
  sink.Write("one\n");
  sink.Write("two\n");
  EXPECT_EQ(pipe.Read(), "one\ntwo\n");
  EXPECT_EQ(sink.dropped(), 0U);
}

TEST(FdLogSink, AReaderThatIsGoneCostsTheLineAndNotTheProcess) {
  Pipe pipe;
  FdLogSink sink(pipe.writer());
  pipe.CloseReader();
  errno = 0;
  sink.Write("nobody reads this\n");
  sink.Write("nor this\n");
  EXPECT_EQ(sink.dropped(), 2U);
  EXPECT_EQ(errno, 0);
}

TEST(FdLogSink, AClosedDescriptorCostsTheLine) {
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  FdLogSink sink(fd);
  close(fd);
  sink.Write("lost\n");
  EXPECT_EQ(sink.dropped(), 1U);
}

TEST(FdLogSink, AFullDiskCostsTheLine) {
  const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_NE(fd, -1);
  FdLogSink sink(fd);
  sink.Write("lost\n");
  EXPECT_EQ(sink.dropped(), 1U);
  close(fd);
}

TEST(FdLogSink, APipeWhoseReaderHangsCostsLinesAndNoTime) {
  Pipe pipe;
  FdLogSink sink(pipe.writer());
  const std::string line = std::string(999, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) sink.Write(line);  // a pipe holds 64 KiB
  EXPECT_GT(sink.dropped(), 900U);
  EXPECT_EQ(pipe.Read().size() / line.size() + sink.dropped(), 1000U);

  sink.Write("after\n");
  EXPECT_EQ(pipe.Read(), "after\n");
}

TEST(FdLogSink, ALineThatWasCutOffIsEndedBeforeTheNext) {
  Pipe pipe;
  FdLogSink sink(pipe.writer());
  sink.Write(std::string(200'000, 'x') + "\n");
  EXPECT_EQ(sink.dropped(), 1U);
  const std::string cut = pipe.Read();
  EXPECT_EQ(cut, std::string(cut.size(), 'x'));
  EXPECT_GE(cut.size(), 60'000U);

  sink.Write("next\n");
  EXPECT_EQ(pipe.Read(), "\nnext\n");
  EXPECT_EQ(sink.dropped(), 1U);
}

TEST(FdLogSink, LinesOfManyThreadsComeOutWhole) {
  Pipe pipe;
  FdLogSink sink(pipe.writer());
  {
    std::vector<std::jthread> threads;
    for (const char letter : {'a', 'b', 'c', 'd'}) {
      threads.emplace_back([&, letter] {
        for (int i = 0; i < 100; ++i) sink.Write(std::string(79, letter) + "\n");
      });
    }
  }
  EXPECT_EQ(sink.dropped(), 0U);
  const std::string text = pipe.Read();
  ASSERT_EQ(text.size(), 400U * 80);
  for (std::size_t at = 0; at < text.size(); at += 80) {
    ASSERT_EQ(text.substr(at, 80), std::string(79, text[at]) + "\n");
  }
}

}  // namespace
}  // namespace flyball
