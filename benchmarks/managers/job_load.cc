#include <algorithm>

#include "benchmarks/managers/fleet.h"
#include "benchmarks/managers/loads.h"
#include "flyball/api/batch/v1.h"

namespace flyball::bench {

using batch::v1::Job;

Result<> RunJobs(Stage& stage, const Size& size) {
  const auto describe = [completions = size.each](int number) {
    Job job;
    job.spec.completions = job.spec.parallelism = completions;
    job.spec.completionMode = number % 2 == 0 ? "Indexed" : "NonIndexed";
    DescribeTemplate(job, Fleet<Job>::NameOf(number));
    job.spec.template_.spec.restartPolicy = "Never";
    return job;
  };
  const auto is_complete = [](const Job& job) {
    return std::ranges::any_of(job.status.conditions, [](const auto& condition) {
      return condition.type == "Complete" && condition.status == "True";
    });
  };
  FLYBALL_TRY(stage.StartManager());
  FLYBALL_TRY(const std::string space, stage.NewSpace());
  Fleet<Job> fleet(
      stage, space,
      {.count = size.count, .pods = size.all(), .describe = describe, .is_complete = is_complete});
  stage.Begin();
  FLYBALL_TRY(fleet.Create());
  FLYBALL_TRY(fleet.AwaitComplete());
  stage.Note("run all to completion");

  FLYBALL_TRY(stage.MeasureRestartAndEnd(space));
  return stage.StopManager();
}

}  // namespace flyball::bench
