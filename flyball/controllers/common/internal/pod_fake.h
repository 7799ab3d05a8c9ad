#pragma once

#include <memory>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"
#include "flyball/api/views.h"

/// Pods for tests, as the caches have them.
namespace flyball::controllers {

inline std::shared_ptr<const views::Pod> ViewOf(const core::v1::Pod& pod) {
  api::ViewDecoder decoder;
  return decoder.Decode<views::Pod>(api::EncodeProtobuf(pod).value()).value();
}

inline core::v1::PodCondition ReadyCondition(api::Time since, const std::string& status = "True") {
  core::v1::PodCondition condition;
  condition.type = "Ready";
  condition.status = status;
  condition.lastTransitionTime = since;
  return condition;
}

}  // namespace flyball::controllers
