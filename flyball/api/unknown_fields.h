#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flyball::api {

/// What an object brought along that the schema does not name (a newer server's fields), kept so
/// that a write gives it back: JSON members as compact text, protobuf fields as they stood on the
/// wire. One pointer wide while there is nothing, which is nearly always.
///
/// In a CRD's type also what a member was where C++ has no value for it: null, or a list or map
/// that was there and empty. That is written as long as the member itself has nothing.
class UnknownFields {
 public:
  using JsonMember = std::pair<std::string, std::string>;

  UnknownFields() = default;
  UnknownFields(const UnknownFields& other)
      : kept_(other.kept_ ? std::make_unique<Kept>(*other.kept_) : nullptr) {}
  UnknownFields(UnknownFields&&) noexcept = default;
  UnknownFields& operator=(UnknownFields other) noexcept {
    kept_ = std::move(other.kept_);
    return *this;
  }

  bool empty() const { return !kept_; }
  std::string_view protobuf() const { return kept_ ? kept_->protobuf : std::string_view(); }
  const std::vector<JsonMember>& json() const {
    static const std::vector<JsonMember> kNone;
    return kept_ ? kept_->json : kNone;
  }

  void AddProtobuf(std::string_view bytes) { Keep().protobuf.append(bytes); }
  void AddJson(std::string name, std::string text) {
    Keep().json.emplace_back(std::move(name), std::move(text));
  }

  /// Puts one member's text in place of what was kept for it.
  void SetJson(std::string_view name, std::string_view text) {
    for (JsonMember& member : Keep().json) {
      if (member.first != name) continue;
      member.second = text;
      return;
    }
    AddJson(std::string(name), std::string(text));
  }
  /// What is kept for a member; null if nothing is.
  const std::string* FindJson(std::string_view name) const {
    for (const JsonMember& member : json()) {
      if (member.first == name) return &member.second;
    }
    return nullptr;
  }

  friend bool operator==(const UnknownFields& a, const UnknownFields& b) {
    return a.protobuf() == b.protobuf() && a.json() == b.json();
  }

 private:
  struct Kept {
    std::string protobuf;
    std::vector<JsonMember> json;
  };
  Kept& Keep() {
    if (!kept_) kept_ = std::make_unique<Kept>();
    return *kept_;
  }

  std::unique_ptr<Kept> kept_;
};

}  // namespace flyball::api
