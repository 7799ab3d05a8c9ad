#include "flyball/controllers/registry.h"

namespace flyball::controllers {
namespace {

using Deps = runtime::Controller::Deps;

constexpr Entry kEntries[] = {
    {"ttl-after-finished-controller", "ttl-after-finished", "ttl-after-finished-controller",
     [](const Deps& deps, const Settings& settings) {
       return ttl_after_finished::Make(deps, settings.ttl_after_finished);
     }},
};

}  // namespace

std::span<const Entry> All() { return kEntries; }

}  // namespace flyball::controllers
