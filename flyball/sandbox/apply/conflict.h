#pragma once

#include <vector>

#include "flyball/sandbox/apply/manager_list.h"

namespace flyball::sandbox::apply {

/// A field that someone applies with another value than the one its manager gave it.
struct Conflict {
  ManagerId manager;
  Path path;
};

/// The refusal that a client gets: 409, with a cause for each field.
Error ConflictError(const std::vector<Conflict>& conflicts);

}  // namespace flyball::sandbox::apply
