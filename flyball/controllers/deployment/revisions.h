#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/map.h"
#include "flyball/controllers/deployment/rollout.h"

/// The numbers that templates of a deployment have, and what else is written on ReplicaSets.
namespace flyball::controllers::deployment {

/// A decimal number with or without a sign, and nothing beside it.
std::optional<std::int64_t> ParseNumber(std::string_view text);

/// An annotation of a set; empty if it has none such.
std::string_view AnnotationOf(const apps::v1::ReplicaSet& set, std::string_view key);

/// Which revision a set is. 0 if it does not say, none if what it says is no number.
std::optional<std::int64_t> RevisionOf(const apps::v1::ReplicaSet& set);
/// The highest of them, and the second highest; 0 if there is none.
std::int64_t HighestRevision(const std::vector<SetRef>& sets);
std::int64_t SecondHighestRevision(const std::vector<SetRef>& sets);

/// The revision that a deployment is asked to go back to, in the deprecated way; 0: the one before.
std::optional<std::int64_t> RollBackTarget(const apps::v1::Deployment& deployment);

/// What the current set of a deployment ought to have for annotations: those of the deployment, and
/// a revision of at least `revision`. None if it has them.
std::optional<api::Map<std::string>> AnnotationsOfCurrent(const apps::v1::Deployment& deployment,
                                                          const apps::v1::ReplicaSet& set,
                                                          std::int64_t revision);

/// The annotations that a deployment gets from a set that it is rolled back to, beside those that
/// are never taken over.
api::Map<std::string> AnnotationsAfterRollBack(const apps::v1::Deployment& deployment,
                                               const apps::v1::ReplicaSet& set);

/// Notes on a set what size of the deployment its own follows from. Whether that was news.
bool NoteSize(const apps::v1::Deployment& deployment, api::Map<std::string>& annotations);

/// The old sets that are to go, since more are kept than spec.revisionHistoryLimit says: those of
/// the lowest revisions that have no pods left.
std::vector<SetRef> ExpiredRevisions(const Rollout& rollout);

}  // namespace flyball::controllers::deployment
