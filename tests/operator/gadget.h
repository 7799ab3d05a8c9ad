#pragma once

#include <string>

#include "flyball/crds/gadgets/v1.h"

namespace flyball {

using gadgets::v1::Gadget;

inline Gadget NewGadget(const std::string& name, const std::string& text = "hello") {
  Gadget gadget;
  gadget.metadata.namespace_ = "default";
  gadget.metadata.name = name;
  gadget.spec.text = text;
  return gadget;
}

}  // namespace flyball
