#include "flyball/endpoints/standard_pages.h"

#include "flyball/endpoints/verbosity_page.h"

namespace flyball::endpoints {
namespace {

constexpr auto kUnlisted = RouteTable::Listing::kUnlisted;

// DIVERGES: what upstream has here are profiles of Go's run time, which this program has not.
transport::Response NoProfiles(const Call& /*call*/) {
  return PlainError(404,
                    "There are no Go profiles of this program. perf and gdb work on it; "
                    "/debug/controllers shows what its controllers are at, /debug/trace what "
                    "they did.");
}

void AddDebugPages(RouteTable& routes, const StandardPages& pages) {
  routes.Add("/debug/pprof", NoProfiles, kUnlisted);
  routes.AddPrefix("/debug/pprof/", NoProfiles, kUnlisted);
  routes.Add("/debug/flags", FlagsIndex, kUnlisted);
  routes.AddPrefix("/debug/flags/", FlagsIndex, kUnlisted);
  routes.Add("/debug/flags/v", VerbosityPage(pages.log), kUnlisted);
  if (pages.controllers) routes.Add("/debug/controllers", pages.controllers, kUnlisted);
  if (pages.trace) routes.Add("/debug/trace", pages.trace, kUnlisted);
}

}  // namespace

void AddStandardPages(RouteTable& routes, const StandardPages& pages) {
  routes.Add("/healthz",
             [&health = pages.health](const Call& call) { return health.Answer(call); });
  routes.AddPrefix(
      "/healthz/", [&health = pages.health](const Call& call) { return health.AnswerOne(call); },
      kUnlisted);
  routes.Add("/metrics",
             [&metrics = pages.metrics](const Call& call) { return metrics.Answer(call); });
  routes.Add("/metrics/slis", [&slis = pages.slis](const Call& call) { return slis.Answer(call); });
  if (pages.configz) routes.Add("/configz", pages.configz);
  if (pages.flagz) routes.Add("/flagz", pages.flagz);
  if (pages.statusz) routes.Add("/statusz", pages.statusz);
  if (pages.profiling) AddDebugPages(routes, pages);
}

}  // namespace flyball::endpoints
