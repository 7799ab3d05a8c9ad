#include "flyball/manager/zpages.h"

#include <gtest/gtest.h>

namespace flyball::manager {
namespace {

constexpr std::string_view kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

const std::string kBuiltWith = "none (C++, " __VERSION__ ")";

struct Flags {
  std::string name = "x";
  std::int32_t count = 3;
  flags::FlagSet flags;

  Flags() {
    flags.Section("one").Add("name", name, "");
    flags.Section("two").Add("count", count, "");
  }
};

TEST(Flagz, ListsEveryFlagByName) {
  EXPECT_EQ(FlagzText(Flags().flags, "="),
            "\nkube-controller-manager flagz\n" + std::string(kWarning) + "count=3\nname=x\n");
}

TEST(Flagz, IsAnObjectInJson) {
  EXPECT_EQ(FlagzJson(Flags().flags, "v1beta1"),
            R"({"kind":"Flagz","apiVersion":"config.k8s.io/v1beta1",)"
            R"("metadata":{"name":"kube-controller-manager"},"flags":{"count":"3","name":"x"}})"
            "\n");
}

StatusFacts Facts() {
  const WallTime start(std::chrono::sys_days(std::chrono::year(2026) / 11 / 5));
  return {.started = start + std::chrono::hours(3),
          .now = start + std::chrono::hours(30) + std::chrono::seconds(65),
          .binary_version = "1.37.1",
          .emulated_version = "1.36",
          .paths = {"/", "/metrics/slis", "/metrics", "/healthz/ping", "/apis/x", "configz"}};
}

TEST(Statusz, SaysSinceWhenAndAsWhatItRuns) {
  EXPECT_EQ(StatuszText(Facts(), ":"), "\nkube-controller-manager statusz\n" +
                                           std::string(kWarning) +
                                           "\nStarted: Thu Nov  5 03:00:00 UTC 2026\n"
                                           "Up: 27 hr 01 min 05 sec\n"
                                           "Go version: " +
                                           kBuiltWith +
                                           "\n"
                                           "Binary version: 1.37.1\n"
                                           "Emulation version: 1.36\n"
                                           "Paths: /healthz /metrics\n");
}

TEST(ZpageForms, AreTextUnlessJsonIsAskedForByItsWholeName) {
  const auto form = [](std::string_view accept) {
    const auto found = FindZpageForm(accept, "Flagz");
    return !found ? "none" : found->version.empty() ? "text" : found->version;
  };
  EXPECT_EQ(form(""), "text");
  EXPECT_EQ(form("*/*"), "text");
  EXPECT_EQ(form("text/plain;q=0.9"), "text");
  EXPECT_EQ(form("application/json;as=Flagz;v=v1beta1;g=config.k8s.io"), "v1beta1");
  EXPECT_EQ(form("text/html, application/json; as=Flagz; v=v1alpha1; g=config.k8s.io"), "v1alpha1");
  EXPECT_EQ(form("application/json"), "none");
  EXPECT_EQ(form("application/json;as=Statusz;v=v1beta1;g=config.k8s.io"), "none");
  EXPECT_EQ(form("application/json;as=Flagz;v=v1;g=config.k8s.io"), "none");
  EXPECT_EQ(form("application/json;as=Flagz;v=v1beta1;g=other"), "none");
}

TEST(Statusz, IsAnObjectInJson) {
  EXPECT_EQ(StatuszJson(Facts(), "v1alpha1"),
            R"({"kind":"Statusz","apiVersion":"config.k8s.io/v1alpha1",)"
            R"("metadata":{"name":"kube-controller-manager"},"startTime":"2026-11-05T03:00:00Z",)"
            R"("uptimeSeconds":97265,"goVersion":")" +
                kBuiltWith +
                R"(","binaryVersion":"1.37.1","emulationVersion":"1.36",)"
                R"("paths":["/healthz","/metrics"]})"
                "\n");
}

}  // namespace
}  // namespace flyball::manager
