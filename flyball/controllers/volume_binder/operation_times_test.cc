#include "flyball/controllers/volume_binder/operation_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/base/fake_clock.h"

namespace flyball::controllers::volume_binder {
namespace {

using Operation = OperationTimes::Operation;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OperationTimesTest : public testing::Test {
 protected:
  FakeClock clock_;
  MetricRegistry metrics_;
  OperationTimes times_{&metrics_, clock_};
};

TEST_F(OperationTimesTest, TakeFromTheFirstBeginningToTheEnd) {
  times_.Begin("team/data", "example.com", Operation::kProvision);
  clock_.Advance(std::chrono::seconds(3));
  times_.Begin("team/data", "other.com", Operation::kProvision);
  clock_.Advance(std::chrono::seconds(4));
  times_.Done("team/data");
  times_.Done("team/data");
  const std::string labels = R"({operation_name="provision",plugin_name="example.com"})";
  EXPECT_THAT(metrics_.Text(),
              AllOf(HasSubstr("volume_operation_total_seconds_sum" + labels + " 7\n"),
                    HasSubstr("volume_operation_total_seconds_count" + labels + " 1\n"),
                    Not(HasSubstr("other.com")), Not(HasSubstr("errors_total{"))));
}

TEST_F(OperationTimesTest, OneThatFailsGoesOn) {
  times_.Failed("disk");
  times_.Begin("disk", "N/A", Operation::kDelete);
  times_.Failed("disk");
  times_.Failed("disk");
  times_.Done("disk");
  times_.Failed("disk");
  EXPECT_THAT(
      metrics_.Text(),
      AllOf(HasSubstr(
                R"(volume_operation_errors_total{operation_name="delete",plugin_name="N/A"} 2)"),
            HasSubstr(R"(total_seconds_count{operation_name="delete",plugin_name="N/A"} 1)")));
}

TEST_F(OperationTimesTest, OfWhatIsForgottenNothingIsShown) {
  times_.Begin("team/data", "example.com", Operation::kProvision);
  times_.Forget("team/data");
  times_.Done("team/data");
  times_.Failed("team/data");
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("example.com")));
}

}  // namespace
}  // namespace flyball::controllers::volume_binder
