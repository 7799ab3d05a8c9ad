#include "flyball/sandbox/apply/conflict.h"

#include <map>

namespace flyball::sandbox::apply {
namespace {

std::string Message(const std::vector<Conflict>& conflicts) {
  if (conflicts.size() == 1) {
    return "Apply failed with 1 conflict: conflict with " + conflicts[0].manager.Describe() + ": " +
           ToString(conflicts[0].path);
  }
  std::map<std::string, std::string> by_manager;
  for (const Conflict& conflict : conflicts) {
    std::string& lines = by_manager[conflict.manager.ToText()];
    if (lines.empty()) lines = "conflicts with " + conflict.manager.Describe() + ":";
    lines += "\n- " + ToString(conflict.path);
  }
  std::string message = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts:";
  bool first = true;
  for (const auto& [id, lines] : by_manager) {
    message += (first ? " " : "\n") + lines;
    first = false;
  }
  return message;
}

}  // namespace

Error ConflictError(const std::vector<Conflict>& conflicts) {
  Error error(ErrorCode::kConflict, Message(conflicts));
  ErrorDetail detail;
  for (const Conflict& conflict : conflicts) {
    detail.causes.push_back({.reason = "FieldManagerConflict",
                             .field = ToString(conflict.path),
                             .message = "conflict with " + conflict.manager.Describe()});
  }
  error.set_detail(std::move(detail));
  return error;
}

}  // namespace flyball::sandbox::apply
