#pragma once

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

/// Reads the cases that the Go programs beside this write; cases/writer.go says what a line is.
namespace flyball::conformance {

inline std::string Unhex(std::string_view hex) {
  if (hex == "-") return "";
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

inline std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 0xf];
  }
  return hex;
}

/// The fields of one line, taken from left to right.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string_view Raw() {
    const std::size_t end = std::min(rest_.find('\t'), rest_.size());
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return field;
  }
  std::string Text() { return Unhex(Raw()); }
  bool Flag() { return Raw() == "1"; }
  template <typename Int = std::int64_t>
  Int Number() {
    const std::string_view raw = Raw();
    Int value = 0;
    const auto result = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    EXPECT_TRUE(result.ec == std::errc() && result.ptr == raw.data() + raw.size()) << raw;
    return value;
  }

 private:
  std::string_view rest_;
};

/// Has the lines of FLYBALL_CASES. Without them there is nothing to compare with: skipped on a
/// person's machine, a failure in CI.
class CasesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream cases(FLYBALL_CASES, std::ios::binary);
    if (!cases) {
      const char* ci = std::getenv("CI");
      ASSERT_FALSE(ci != nullptr && std::string_view(ci) == "true") << "no cases: needs Go 1.26";
      GTEST_SKIP() << "skipped: needs Go 1.26";
    }
    for (std::string line; std::getline(cases, line);) lines_.push_back(std::move(line));
  }

  /// Calls `check` with the number and the fields of each line of that kind; stops after some
  /// failures. Returns how many it was called with.
  template <typename Check>
  int ForEach(std::string_view letter, Check check) {
    int count = 0;
    int failed = 0;
    for (std::size_t i = 0; i < lines_.size() && failed < 20; ++i) {
      Fields fields(lines_[i]);
      if (fields.Raw() != letter) continue;
      SCOPED_TRACE("case " + std::to_string(i));
      const int before = Complaints();
      check(i, fields);
      if (Complaints() != before) ++failed;
      ++count;
    }
    return count;
  }

  const std::vector<std::string>& lines() const { return lines_; }
  /// How often the test has failed so far.
  static int Complaints() {
    return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace flyball::conformance
