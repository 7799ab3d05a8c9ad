#pragma once

#include <chrono>
#include <memory>

#include "flyball/runtime/controller.h"

namespace flyball::controllers::attach_detach {

struct Options {
  /// Whether what nodes say they have is held against VolumeAttachments, and how often; not at all
  /// if that is less than a second.
  ///
  /// DIVERGES: upstream looks once in such a time. Here a change is known at once, and how often
  /// does not matter.
  bool compare = true;
  std::chrono::nanoseconds compare_period = std::chrono::minutes(1);
  /// Whether volumes are taken from a node that is not well and has not let go of them in six
  /// minutes.
  bool force_detach = true;
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::attach_detach
