#include "flyball/runtime/trace/cause.h"

namespace flyball::runtime {
namespace {

thread_local const Cause* current = nullptr;

}  // namespace

std::string Cause::ToString() const {
  std::string text;
  text.reserve(resource.size() + namespace_.size() + name.size() + what.size() + 3);
  text.append(resource).append(" ");
  if (!namespace_.empty()) text.append(namespace_).append("/");
  text.append(name).append(" ").append(what);
  return text;
}

CauseScope::CauseScope(const Cause& cause) : outer_(current) { current = &cause; }
CauseScope::~CauseScope() { current = outer_; }
const Cause* CauseScope::Current() { return current; }

}  // namespace flyball::runtime
