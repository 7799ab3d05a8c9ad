#pragma once

#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>

#include "flyball/api/json_decode.h"
#include "flyball/ctl/describe/description.h"
#include "gtest/gtest.h"

namespace flyball::ctl::describe {

inline const WallTime kNow = api::Time::Parse("2026-01-02T00:00:00Z")->ToWallTime();

template <typename T>
T Parse(std::string_view text) {
  auto object = api::DecodeJson<T>(text);
  EXPECT_TRUE(object) << (object ? "" : object.error().Describe());
  return object ? *std::move(object) : T();
}

class Describers : public testing::Test {
 protected:
  Describers() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  Description out_;
};

}  // namespace flyball::ctl::describe
