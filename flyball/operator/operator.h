#pragma once

/// All that an operator is written with, in one include:
///
///   Manager             what the operator consists of
///   ControllerBuilder   a controller: for which kind, what it owns, what it watches, how it
///                       reconciles
///   ReconcileContext    what a reconcile reads and writes with
///   RunOperator         main()
///
/// The names are flyball's own, since the folder's is a word of the language.

#include "flyball/operator/conditions.h"
#include "flyball/operator/controller_builder.h"
#include "flyball/operator/finalizer.h"
#include "flyball/operator/manager.h"
#include "flyball/operator/predicates.h"
#include "flyball/operator/program.h"
#include "flyball/operator/reconcile_context.h"
