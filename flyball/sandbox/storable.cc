#include "flyball/sandbox/storable.h"

#include <array>
#include <string>

#include "flyball/api/json_encode.h"
#include "flyball/api/json_sink.h"

namespace flyball::sandbox {
namespace {

/// How much of a path is shown: "spec.versions[0].schema.openAPIV3Schema" of a CRD.
constexpr std::size_t kShownMembers = 4;

/// Finds how deep an object is, and where it is too deep.
class LevelCounter final : public api::JsonSink {
 public:
  void BeginObject() override { Enter(/*array=*/false); }
  void Key(std::string_view name) override {
    if (At() != nullptr) At()->name = name;
  }
  void EndObject() override { --level_; }
  void BeginArray() override { Enter(/*array=*/true); }
  void EndArray() override { --level_; }
  void String(std::string_view) override { Next(); }
  void Number(std::string_view) override { Next(); }
  void Bool(bool) override { Next(); }
  void Null() override { Next(); }

  bool too_deep() const { return too_deep_; }
  const std::string& path() const { return path_; }

 private:
  struct Place {
    bool array = false;
    std::size_t index = 0;  ///< of the element after this one
    std::string name = {};
  };

  /// The container that is open, if its place is shown.
  Place* At() {
    const auto at = static_cast<std::size_t>(level_) - 1;
    return level_ > 0 && at < places_.size() ? &places_[at] : nullptr;
  }
  void Next() {
    if (At() != nullptr && At()->array) ++At()->index;
  }
  void Enter(bool array) {
    Next();
    ++level_;
    if (At() != nullptr) *At() = {.array = array};
    if (level_ <= kMaxObjectLevels || too_deep_) return;
    too_deep_ = true;
    std::size_t members = 0;
    for (const Place& place : places_) {
      if (place.array) {
        path_ += "[" + std::to_string(place.index - 1) + "]";
      } else if (members++ < kShownMembers) {
        path_ += (path_.empty() ? "" : ".") + place.name;
      } else {
        break;
      }
    }
  }

  int level_ = 0;
  std::array<Place, 2 * kShownMembers> places_;
  bool too_deep_ = false;
  std::string path_;
};

ApiStatusError NotStorable(const Kind& kind, const api::AnyObject& object, std::string path,
                           std::string why) {
  return Invalid(kind.group(), kind.name(), kind.Metadata(object).name,
                 {{FieldError::Kind::kInvalid, std::move(path), "\"\"", std::move(why)}});
}

/// The beginning of a path, which may be as deep as what it leads to.
std::string Shown(std::string_view path) {
  std::size_t members = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.' && ++members == kShownMembers) return std::string(path.substr(0, i));
  }
  return std::string(path);
}

}  // namespace

StatusOr<> CheckJsonForm(const Kind& kind, const api::AnyObject& object) {
  LevelCounter levels;
  if (const auto sent = api::SendObject(object.get(), object.type(), levels); !sent) {
    return std::unexpected(
        NotStorable(kind, object, Shown(sent.error().path()), sent.error().message()));
  }
  if (!levels.too_deep()) return {};
  return std::unexpected(NotStorable(
      kind, object, levels.path(),
      "must not be nested deeper than " + std::to_string(kMaxObjectLevels) + " levels"));
}

StatusOr<> CheckStorable(const Kind& kind, const api::AnyObject& object, std::string_view bytes) {
  FLYBALL_TRY(CheckJsonForm(kind, object));
  if (const auto read = kind.Restore(bytes); !read) {
    return std::unexpected(
        NotStorable(kind, object, Shown(read.error().path()), read.error().message()));
  }
  return {};
}

}  // namespace flyball::sandbox
