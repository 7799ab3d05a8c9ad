#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// How many operations a patch may have, and how many bytes of JSON its copies may add, as the API
/// server sets it: what a patch makes of an object stays in proportion to what was sent.
inline constexpr std::size_t kMaxJsonPatchOperations = 10'000;
inline constexpr std::size_t kMaxJsonPatchCopyBytes = 3 * 1024 * 1024;

/// One step of a patch. Places are JSON pointers: "/spec/containers/0/image", where ~1 is a slash
/// and ~0 a tilde, a negative index counts from the end, and "-" is behind the last element.
struct JsonPatchOperation {
  enum class Op : std::uint8_t { kAdd, kRemove, kReplace, kMove, kCopy, kTest };

  Op op = Op::kTest;
  std::string path;
  std::string from = {};  ///< of kMove and kCopy
  Json value = {};        ///< of kAdd, kReplace and kTest; null if there was none

  friend bool operator==(const JsonPatchOperation&, const JsonPatchOperation&) = default;
};

/// A JSON patch (RFC 6902), with the API server's reading of it.
///
/// An error tells by its code what went wrong: kMalformed, the patch is no list of objects;
/// kTooLarge, it has too many operations; kConflict, a test failed; kInvalid, an operation is none
/// or does not apply. The last two are what the server answers 422 to.
class JsonPatch {
 public:
  JsonPatch() = default;
  explicit JsonPatch(std::vector<JsonPatchOperation> operations)
      : operations_(std::move(operations)) {}

  static Result<JsonPatch> Parse(std::string_view text);
  static Result<JsonPatch> FromJson(const Json& patch);

  const std::vector<JsonPatchOperation>& operations() const { return operations_; }

  /// What the operations, one after the other, make of a document. If one fails, all do.
  Result<Json> Apply(Json document) const;

  friend bool operator==(const JsonPatch&, const JsonPatch&) = default;

 private:
  std::vector<JsonPatchOperation> operations_;
};

}  // namespace flyball::api
