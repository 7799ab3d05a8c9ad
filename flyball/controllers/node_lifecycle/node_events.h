#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/runtime/event_recorder.h"

namespace flyball::controllers::node_lifecycle {

/// PARITY: without the version of the node.
inline core::v1::ObjectReference ReferenceToNode(std::string_view name, std::string_view uid) {
  core::v1::ObjectReference node;
  node.apiVersion = "v1";
  node.kind = "Node";
  node.name = name;
  node.uid = uid;
  return node;
}

/// Tells of something that happened to a node: that `what` is the case.
inline void TellOfNode(runtime::EventRecorder& events, std::string_view name, std::string_view uid,
                       std::string_view reason, const std::string& what) {
  events.Event(ReferenceToNode(name, uid), runtime::EventType::kNormal, reason,
               "Node " + std::string(name) + " " + what);
}

}  // namespace flyball::controllers::node_lifecycle
