#include "flyball/endpoints/metrics_handler.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "flyball/endpoints/access_metrics.h"
#include "flyball/endpoints/build_metrics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using testing::Contains;
using testing::Pair;

struct Ran {
  int status = 0;
  std::vector<std::string> lines;
};

Ran RunCommand(const std::string& command) {
  std::FILE* const out = popen((command + " 2>&1").c_str(), "r");
  Ran ran;
  std::array<char, 1024> line;
  while (std::fgets(line.data(), static_cast<int>(line.size()), out) != nullptr) {
    ran.lines.emplace_back(line.data());
  }
  ran.status = WEXITSTATUS(pclose(out));
  return ran;
}

class MetricsHandlerTest : public testing::Test {
 protected:
  transport::Response Get(const transport::Headers& headers = {}) {
    const transport::Request request{.headers = headers};
    const RequestTarget target{"/metrics"};
    return page_.Answer({request, target});
  }

  MetricRegistry registry_;
  MetricsHandler page_{registry_};
};

TEST_F(MetricsHandlerTest, IsCompressedForThoseWhoAskForIt) {
  const auto plain = Get();
  EXPECT_THAT(plain.headers, testing::Not(Contains(Pair("content-encoding", "gzip"))));
  const auto compressed = Get({{"accept-encoding", "gzip"}});
  EXPECT_THAT(compressed.headers, Contains(Pair("content-encoding", "gzip")));
  EXPECT_LT(compressed.body.size(), plain.body.size());
}

TEST_F(MetricsHandlerTest, LeavesOutWhatIsNotToBeShown) {
  registry_.Counters({.name = "a", .help = "A."}).With().Increment();
  registry_.Gauges({.name = "b", .help = "B.", .labels = {"of"}}).With({"\n# HELP "}).Set(1);
  registry_.Counters({.name = "zz", .help = "Z."}).With().Increment();
  MetricsHandler page(registry_, {"a", "zz", "process_start_time_seconds", "nobodys"});
  const transport::Request request;
  const RequestTarget target{"/metrics"};
  const std::string text = page.Answer({request, target}).body;
  EXPECT_THAT(text,
              testing::StartsWith("# HELP b B.\n# TYPE b gauge\nb{of=\"\\n# HELP \"} 1\n# HELP "));
  EXPECT_THAT(text, testing::HasSubstr("\nprocess_open_fds "));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("process_start_time_seconds")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("zz")));
}

/// Prometheus' own checker reads it. What it has against names, it has against upstream's too.
TEST_F(MetricsHandlerTest, PromtoolAccepts) {
  if (RunCommand("promtool --version").status != 0)
    GTEST_SKIP() << "needs promtool, of Debian's prometheus";
  const AccessMetrics access(registry_);
  access.token_reviews.Record(nullptr, std::chrono::milliseconds(3));
  access.users.With({"other"}).Increment();
  access.authentications.With({"success"}).Increment();
  access.authorization_seconds.With({"allowed"}).Observe(0.01);
  RecordBuildInfo(registry_, BuildInfo::Own());
  RecordFeatures(registry_, {{"JobManagedBy", "BETA", true}});
  const std::string file = testing::TempDir() + "metrics_page_test.txt";
  std::ofstream(file) << Get().body;
  const Ran ran = RunCommand("promtool check metrics < " + file);
  std::remove(file.c_str());
  EXPECT_THAT(ran.lines,
              testing::UnorderedElementsAre(
                  "authenticated_user_requests counter metrics should have \"_total\" suffix\n",
                  "authentication_attempts counter metrics should have \"_total\" suffix\n"));
  EXPECT_EQ(ran.status, 3);  // there are such remarks, and nothing worse
}

}  // namespace
}  // namespace flyball::endpoints
