#pragma once

#include "flyball/api/json.h"

namespace flyball::faults {

/// A portrait without what a manager that was disturbed may come to in another way: events, which
/// are lost with who was to write them; in how many steps an object came to be what it is, so that
/// generations only say whether they were observed; and of Endpoints whether they are those of a
/// service that was made again at once, or new as it is. `aged`: the fault took so long that pods
/// are of another age, by which those are chosen that go: so of all objects not since when they are
/// there.
api::Json WithoutTheWay(const api::Json& portrait, bool aged = false);

}  // namespace flyball::faults
