#pragma once

#include <string>

#include "flyball/api/json.h"

/// Differences for people: in logs, and in what a failed test prints.
namespace flyball::api {

/// One line a difference, "path: before -> after", in the order of the document; "+" and "-" in
/// front of what is there on one side only. Empty if the two are equal.
///   spec.replicas: 3 -> 5
///   + metadata.labels[app.kubernetes.io/name]: "web"
std::string Diff(const Json& before, const Json& after);

template <typename T>
std::string Diff(const T& before, const T& after) {
  const auto a = ToJson(before);
  const auto b = ToJson(after);
  if (!a || !b) return "cannot be compared: " + (a ? b : a).error().Describe() + "\n";
  return Diff(*a, *b);
}

}  // namespace flyball::api
