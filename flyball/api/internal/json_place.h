#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::api {

/// Where in a document a walk is: one for each level, on the stack of the walk, each knowing the
/// one around it. Nothing is put together until an error asks for the path.
class JsonPlace {
 public:
  JsonPlace() = default;  ///< the document itself
  /// Both must not outlive this one, nor the name.
  JsonPlace Member(std::string_view name) const { return {this, name, kNoIndex}; }
  JsonPlace Element(std::size_t index) const { return {this, {}, index}; }

  /// "spec.containers[2].image", "metadata.labels[app.kubernetes.io/name]".
  std::string ToString() const {
    if (!outer_) return {};
    std::string text = outer_->ToString();
    if (index_ != kNoIndex) return text.append("[").append(std::to_string(index_)).append("]");
    // Names that could be mistaken for a path stand in brackets.
    if (name_.empty() || name_.find_first_of("./[] ") != std::string_view::npos) {
      return text.append("[").append(name_).append("]");
    }
    if (!text.empty()) text += '.';
    return text.append(name_);
  }

  std::unexpected<Error> Fail(ErrorCode code, std::string why) const {
    return flyball::Fail(code, ToString(), std::move(why));
  }

 private:
  static constexpr auto kNoIndex = static_cast<std::size_t>(-1);
  JsonPlace(const JsonPlace* outer, std::string_view name, std::size_t index)
      : outer_(outer), name_(name), index_(index) {}

  const JsonPlace* outer_ = nullptr;
  std::string_view name_;
  std::size_t index_ = kNoIndex;
};

}  // namespace flyball::api
