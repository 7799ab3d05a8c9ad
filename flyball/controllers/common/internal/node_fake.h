#pragma once

#include <memory>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"
#include "flyball/api/views.h"

/// Nodes for tests, as the caches have them.
namespace flyball::controllers {

inline std::shared_ptr<const views::Node> ViewOf(const core::v1::Node& node) {
  api::ViewDecoder decoder;
  return decoder.Decode<views::Node>(api::EncodeProtobuf(node).value()).value();
}

inline core::v1::NodeCondition MakeNodeCondition(const std::string& type,
                                                 const std::string& status) {
  core::v1::NodeCondition condition;
  condition.type = type;
  condition.status = status;
  return condition;
}

inline core::v1::Taint MakeTaint(const std::string& key, const std::string& effect) {
  core::v1::Taint taint;
  taint.key = key;
  taint.effect = effect;
  return taint;
}

/// A node that says this of whether it is ready; nothing, if that is empty.
inline core::v1::Node MakeNode(const std::string& name, const std::string& ready = "True") {
  core::v1::Node node;
  node.metadata.name = name;
  node.metadata.uid = "uid-of-" + name;
  node.metadata.resourceVersion = "7";
  if (!ready.empty()) node.status.conditions.push_back(MakeNodeCondition("Ready", ready));
  return node;
}

}  // namespace flyball::controllers
