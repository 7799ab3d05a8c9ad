#include "flyball/serving/gzip.h"

#include <array>
#include <cstdio>
#include <string>

#include "gtest/gtest.h"

namespace flyball::serving {
namespace {

/// What gzip itself makes of it.
std::string Unzipped(const std::string& zipped) {
  const std::string file = testing::TempDir() + "gzip_test.gz";
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  std::fwrite(zipped.data(), 1, zipped.size(), out);
  std::fclose(out);
  std::FILE* const in = popen(("gzip -dc " + file).c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), in)) {
    text.append(buffer.data(), size);
  }
  EXPECT_EQ(pclose(in), 0);
  std::remove(file.c_str());
  return text;
}

TEST(Gzip, IsWhatGzipReads) {
  std::string long_text;
  for (int i = 0; i < 20'000; ++i) long_text += "metric{label=\"" + std::to_string(i) + "\"} 1\n";
  for (const std::string& text : {std::string(), std::string("a"), long_text}) {
    EXPECT_EQ(Unzipped(Gzip(text, 3)), text);
  }
  EXPECT_LT(Gzip(long_text, 3).size(), long_text.size() / 5);
}

}  // namespace
}  // namespace flyball::serving
