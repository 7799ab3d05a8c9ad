#include "flyball/manager/problems.h"

#include <algorithm>

namespace flyball::manager {

void Problems::Add(std::string problem) {
  if (std::ranges::find(problems_, problem) == problems_.end()) {
    problems_.push_back(std::move(problem));
  }
}

void Problems::AddInvalid(std::string_view field, std::string_view value, std::string_view why) {
  std::string text(field);
  Add(text.append(": Invalid value: ").append(value).append(": ").append(why));
}

void Problems::AddForbidden(std::string_view field, std::string_view why) {
  std::string text(field);
  Add(text.append(": Forbidden: ").append(why));
}

void Problems::AddUnlessPositive(std::string_view flag, std::int32_t value) {
  if (value > 0) return;
  Add(std::string(flag) + " must be greater than 0, but got " + std::to_string(value));
}

void Problems::AddUnlessWithin(std::string_view flag, std::int32_t value, std::int32_t least,
                               std::int32_t most) {
  if (value >= least && value <= most) return;
  const bool less = value < least;
  Add(std::string(flag) + " must not be " + (less ? "less than " : "more than ") +
      std::to_string(less ? least : most) + ", but got " + std::to_string(value));
}

std::string Problems::Text() const {
  if (problems_.size() == 1) return problems_.front();
  std::string text = "[";
  for (const std::string& problem : problems_) {
    if (text.size() > 1) text.append(", ");
    text.append(problem);
  }
  return text + "]";
}

}  // namespace flyball::manager
