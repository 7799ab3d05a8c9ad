#include "flyball/controllers/namespace_deletion/controller.h"

#include <optional>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/base/saturating.h"
#include "flyball/controllers/namespace_deletion/content.h"
#include "flyball/controllers/namespace_deletion/plan.h"

namespace flyball::controllers::namespace_deletion {
namespace {

using core::v1::Namespace;
using runtime::Context;
using runtime::Outcome;

/// How long a namespace is left alone after a change. Other API servers have to learn that it takes
/// nothing new, and what was made in it last has to be seen.
constexpr std::chrono::seconds kSettle(5);

/// As the server has it now; nothing if it is gone.
Result<std::optional<Namespace>> Latest(Context& context, const std::string& name) {
  auto space = context.client().Of<Namespace>().Get({"", name});
  if (!space && space.error().code() == ErrorCode::kNotFound) return std::nullopt;
  return space;
}

/// Writes a namespace, again on its latest state while others write it too. Nothing if it is gone.
template <typename Write>
Result<std::optional<Namespace>> Insist(Context& context, Namespace space, Write write) {
  while (!context.stop().stop_requested()) {
    Result<Namespace> written = write(space);
    if (written) return *std::move(written);
    if (written.error().code() == ErrorCode::kNotFound) return std::nullopt;
    if (written.error().code() != ErrorCode::kConflict) return std::unexpected(written.error());
    FLYBALL_TRY(auto latest, Latest(context, space.metadata.name));
    if (!latest) return std::nullopt;
    if (latest->metadata.uid != space.metadata.uid) {
      return Fail(ErrorCode::kConflict, "namespace uid has changed across retries");
    }
    space = *std::move(latest);
  }
  return Fail(ErrorCode::kCancelled, "asked to stop");
}

Result<std::optional<Namespace>> MarkTerminating(Context& context, Namespace space) {
  return Insist(context, std::move(space), [&](Namespace latest) -> Result<Namespace> {
    if (!latest.metadata.deletionTimestamp || latest.status.phase == "Terminating") return latest;
    latest.status.phase = "Terminating";
    FLYBALL_TRY(auto stored, context.UpdateStatus(latest));
    latest.metadata = std::move(stored.metadata);
    return latest;
  });
}

Result<> Finalize(Context& context, Namespace space) {
  const auto finalized = Insist(context, std::move(space), [&](const Namespace& latest) {
    return context.client().Of<Namespace>().UpdatePart(api::ObjectKey::Of(latest), "finalize",
                                                       Finalized(latest));
  });
  FLYBALL_TRY(finalized);
  return {};
}

class Reconciler {
 public:
  explicit Reconciler(cache::Lister<Namespace> spaces) : spaces_(std::move(spaces)) {}

  Result<Outcome> operator()(Context& context, const std::string& name) const {
    if (!spaces_.Get({"", name})) {
      context.log().Info("Namespace has been deleted", {{"namespace", name}});
      return Outcome::Done();
    }
    FLYBALL_TRY(auto space, Latest(context, name));
    if (!space || !space->metadata.deletionTimestamp) return Outcome::Done();
    FLYBALL_TRY(space, MarkTerminating(context, *std::move(space)));
    if (!space || !space->metadata.deletionTimestamp) return Outcome::Done();
    if (space->spec.finalizers.empty()) return Outcome::Done();

    const Findings findings = DeleteContent(context, *space);
    if (context.stop().stop_requested()) return Fail(ErrorCode::kCancelled, "asked to stop");
    Report(context, findings, *space);
    if (auto failure = findings.failure()) return std::unexpected(*std::move(failure));
    if (findings.estimate > std::chrono::seconds{}) {
      const auto wait = findings.estimate / 2 + std::chrono::seconds(1);
      context.log().V(4).Info("Content remaining in namespace",
                              {{"namespace", name}, {"waitSeconds", wait.count()}});
      context.Decided("wait: there is content that takes time to go");
      return Outcome::RequeueAfter(SaturatingNanoseconds(wait));
    }
    FLYBALL_TRY(Finalize(context, *std::move(space)));
    return Outcome::Done();
  }

 private:
  /// Says in the conditions what became of the attempt. Whether that succeeds is of no consequence
  /// for the rest.
  static void Report(Context& context, const Findings& findings, Namespace& space) {
    if (!UpdateConditions(findings, context.now(), space.status)) return;
    auto updated = context.UpdateStatus(space);
    if (updated) {
      space.metadata = std::move(updated->metadata);
    } else {
      context.log().Error(updated.error(), "Couldn't update status condition for namespace",
                          {{"namespace", space.metadata.name}});
    }
  }

  const cache::Lister<Namespace> spaces_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("namespace-controller", deps);
  const auto spaces = controller->Reads<Namespace>();
  auto& queue =
      controller->AddQueue<std::string>({.name = "namespace",
                                         .workers = options.workers,
                                         // At least once a minute, whatever goes wrong.
                                         .back_off = {.longest = std::chrono::seconds(60)},
                                         // To empty a large namespace takes as long as it takes.
                                         .deadline = std::chrono::hours(1)},
                                        Reconciler(spaces.lister()));

  const auto add = [&queue](const Namespace& space) {
    if (space.metadata.deletionTimestamp) queue.AddAfter(space.metadata.name, kSettle);
  };
  controller->On<Namespace>(spaces,
                            {.added = [add](const auto& space, bool) { add(*space); },
                             .updated = [add](const auto&, const auto& space) { add(*space); }},
                            {.delivery = cache::Delivery::kInline, .resync = options.resync});
  return controller;
}

}  // namespace flyball::controllers::namespace_deletion
