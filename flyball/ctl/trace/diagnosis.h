#pragma once

#include <string>

#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {

/// What is the matter with an object.
struct Diagnosis {
  std::string state;       ///< a line: "deployment web in shop: 1 of 3 pods are ready"
  Findings findings = {};  ///< what everything else follows from comes first

  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

Diagnosis Diagnose(const Observation& observation);

/// The diagnosis as a person reads it; with no findings, that nothing is wrong.
std::string ToText(const Diagnosis& diagnosis);

}  // namespace flyball::ctl::trace
