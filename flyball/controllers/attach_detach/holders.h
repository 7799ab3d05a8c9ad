#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/base/mutex.h"

namespace flyball::controllers::attach_detach {

/// Which nodes may have a volume that has no VolumeAttachment (iSCSI, Fibre Channel), as upstream's
/// actual state of world knows it. Of such a volume only `status.volumesAttached` says where it is,
/// and that goes with the Node object, is empty when a node registers anew, and can be overwritten
/// by anybody who may write the status.
///
/// A node holds a volume from before it is told so, or its status is seen to say so, until the
/// controller has released the volume there. A manager that has just started knows what statuses
/// say, as upstream's does.
///
/// Any thread.
class Holders {
 public:
  struct Held {
    std::string volume;
    /// The Node object that was deleted said that the volume was in use, and the one that came
    /// after it has not yet said so and then no more. A kubelet registers anew when it has
    /// started, which is before it has found what is mounted.
    bool was_in_use = false;

    friend bool operator==(const Held&, const Held&) = default;
  };

  void Hold(const std::string& node, const std::string& volume);
  void Release(const std::string& node, const std::string& volume);

  /// What a Node object tells when it comes or changes.
  void Saw(const views::Node& node);
  void Saw(const views::Node& before, const views::Node& now);
  void SawDeleted(const views::Node& last);

  /// What a node holds, and who holds a volume, in the order of their names.
  std::vector<Held> Of(const std::string& node) const;
  std::vector<std::string> NodesOf(const std::string& volume) const;

 private:
  /// By node, and by volume whether it was in use. The other way round, too: both have the same.
  using Volumes = std::map<std::string, bool, std::less<>>;

  void HoldLocked(const std::string& node, std::string_view volume) FLYBALL_REQUIRES(mutex_);
  void HoldReported(const views::Node& node) FLYBALL_REQUIRES(mutex_);
  void MarkInUse(const views::Node& last) FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Volumes> volumes_ FLYBALL_GUARDED_BY(mutex_);
  std::map<std::string, std::set<std::string>> nodes_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::attach_detach
