#include "flyball/controllers/service_account/controller.h"

#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/service_account/plan.h"

namespace flyball::controllers::service_account {
namespace {

using core::v1::Namespace;
using core::v1::ServiceAccount;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;

class Reconciler {
 public:
  Reconciler(cache::Lister<Namespace> spaces, cache::Lister<ServiceAccount> accounts)
      : spaces_(std::move(spaces)), accounts_(std::move(accounts)) {}

  Result<Outcome> operator()(Context& context, const std::string& name) const {
    const auto space = spaces_.Get({"", name});
    if (!space) return Outcome::Done();
    const bool has_account = accounts_.Get({name, std::string(kName)}) != nullptr;
    const auto account = PlanFor(*space, has_account);
    if (!account) return Outcome::Done();
    const auto created = context.Create(*account);
    if (created || created.error().code() == ErrorCode::kAlreadyExists ||
        common::IsNamespaceTerminating(created.error())) {
      return Outcome::Done();
    }
    return std::unexpected(created.error());
  }

 private:
  const cache::Lister<Namespace> spaces_;
  const cache::Lister<ServiceAccount> accounts_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  auto controller = std::make_unique<runtime::Controller>("serviceaccount-controller", deps);
  const auto spaces = controller->Reads<Namespace>();
  const auto accounts = controller->Reads<ServiceAccount>();
  auto& queue = controller->AddQueue<std::string>({.name = "serviceaccount"},
                                                  Reconciler(spaces.lister(), accounts.lister()));

  controller->On<Namespace>(
      spaces,
      {.added =
           [&queue](const auto& space, bool initial) {
             queue.Add(space->metadata.name, initial ? Priority::kBackground : Priority::kLive);
           },
       .updated = [&queue](const auto&, const auto& space) { queue.Add(space->metadata.name); }});
  controller->On<ServiceAccount>(accounts, {.deleted = [&queue](const auto& account, bool) {
                                   queue.Add(account->metadata.namespace_);
                                 }});
  return controller;
}

}  // namespace flyball::controllers::service_account
