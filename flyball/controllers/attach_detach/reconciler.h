#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/attach_detach/holders.h"
#include "flyball/controllers/attach_detach/memory_table.h"
#include "flyball/controllers/attach_detach/metrics.h"
#include "flyball/controllers/attach_detach/reservations.h"
#include "flyball/controllers/attach_detach/volume_lister.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::attach_detach {

/// Has the volumes attached to a node that its pods want, and those detached that nobody wants
/// there any more.
///
/// Reads Pods, Nodes, PersistentVolumeClaims, PersistentVolumes, VolumeAttachments and CSIDrivers;
/// writes VolumeAttachments and Nodes/status. Keys are the names of nodes.
///
/// What must hold:
/// - An exclusive volume gets no VolumeAttachment while another node has one, or says that it has
///   the volume. One that has no VolumeAttachments is reported to no node while another holds it,
///   whether that has a Node object or not (Holders).
/// - A VolumeAttachment is deleted only when the server knows no pod there that the cache does not;
///   then when the node's status no longer tells the node that it has the volume; and then when the
///   server, and not only the cache, says that the node does not use it, unless it is taken by
///   force. A node says that it uses a volume before it looks whether it has it.
///
/// Any thread; never twice at once for a node.
class NodeReconciler {
 public:
  /// Has nodes looked at.
  using Wake = std::function<void(const std::set<std::string>& nodes)>;
  struct Deps {
    VolumeLister volume_lister;
    std::shared_ptr<MemoryTable> memories;
    std::shared_ptr<Holders> holders;
    std::shared_ptr<const Wake> wake;  ///< set before the first reconcile
    std::shared_ptr<Reservations> reservations;
    std::shared_ptr<Metrics> metrics;
    Clock& clock;
    Rules rules = {};
  };
  explicit NodeReconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const std::string& node) const;

 private:
  /// Lets go of what the caches show by now.
  void SettleReservations(runtime::Context& context, const std::string& node) const;
  /// Has the node told what it has; false if that, or the plan, is no longer true. Nothing is
  /// detached before.
  Result<bool> Report(runtime::Context& context, const NodeFacts& facts, const Plan& plan) const;
  runtime::Outcome CarryOut(runtime::Context& context, const NodeFacts& facts, Plan& plan) const;
  /// Whether the server has none of these, either.
  static Result<bool> AreMissing(runtime::Context& context, const std::vector<std::string>& names);
  Result<> Detach(runtime::Context& context, const NodeFacts& facts, Plan& plan) const;
  /// How the pods that the server has on a node compare with those that the plan is for.
  enum class PodsOnServer : std::uint8_t {
    kPlanned,     ///< all of them are among those
    kNotCached,   ///< there is one that the cache does not show yet
    kUnreadable,  ///< all are cached, but of some it is not known which volumes they use
  };
  Result<PodsOnServer> Compare(runtime::Context& context, const NodeFacts& facts) const;
  void Attach(runtime::Context& context, const NodeFacts& facts, Plan& plan) const;
  /// Another try has to wait.
  void Retry(Plan& plan, const std::string& volume) const;
  void Show(const NodeFacts& facts) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::attach_detach
