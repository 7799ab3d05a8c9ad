#include "flyball/endpoints/default_handlers.h"

#include "flyball/endpoints/verbosity_handler.h"

namespace flyball::endpoints {
namespace {

constexpr auto kUnlisted = RouteTable::Listing::kUnlisted;

// DIVERGES: what upstream has here are profiles of Go's run time, which this program has not.
transport::Response NoProfiles(const Call& /*call*/) {
  return PlainError(404,
                    "This program has no Go profiles. Use perf or gdb; /debug/controllers shows "
                    "the state of its controllers, /debug/trace their last reconciles.");
}

void AddDebugHandlers(RouteTable& routes, const DefaultHandlers& handlers) {
  routes.Add("/debug/pprof", NoProfiles, kUnlisted);
  routes.AddPrefix("/debug/pprof/", NoProfiles, kUnlisted);
  routes.Add("/debug/flags", FlagsIndex, kUnlisted);
  routes.AddPrefix("/debug/flags/", FlagsIndex, kUnlisted);
  routes.Add("/debug/flags/v", VerbosityHandler(handlers.log), kUnlisted);
  if (handlers.controllers) routes.Add("/debug/controllers", handlers.controllers, kUnlisted);
  if (handlers.trace) routes.Add("/debug/trace", handlers.trace, kUnlisted);
}

}  // namespace

void AddDefaultHandlers(RouteTable& routes, const DefaultHandlers& handlers) {
  routes.Add("/healthz",
             [&health = handlers.health](const Call& call) { return health.Answer(call); });
  routes.AddPrefix(
      "/healthz/", [&health = handlers.health](const Call& call) { return health.AnswerOne(call); },
      kUnlisted);
  routes.Add("/metrics",
             [&metrics = handlers.metrics](const Call& call) { return metrics.Answer(call); });
  routes.Add("/metrics/slis",
             [&slis = handlers.slis](const Call& call) { return slis.Answer(call); });
  if (handlers.configz) routes.Add("/configz", handlers.configz);
  if (handlers.flagz) routes.Add("/flagz", handlers.flagz);
  if (handlers.statusz) routes.Add("/statusz", handlers.statusz);
  if (handlers.profiling) AddDebugHandlers(routes, handlers);
}

}  // namespace flyball::endpoints
