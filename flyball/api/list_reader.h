#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/meta/v1.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Takes the body of a list apart while it arrives, so that no more of it need be in memory than
/// the object that is next: the lists that a controller manager starts with are tens of megabytes.
/// Reads both encodings, told apart by the first bytes.
///
///   reader.Feed(bytes);                                // as they come
///   while (auto item = *reader.Next()) Use(*item);     // Result left out here
///   FLYBALL_TRY(const auto metadata, reader.Finish());  // after the last bytes
///
/// After an error the list cannot be trusted any more: it is thrown away, and the reader with it.
class ListReader {
 public:
  /// No object is larger: the server itself refuses to store a tenth of that.
  static constexpr std::size_t kMaxItemSize = std::size_t{16} << 20;

  ListReader();
  ~ListReader();

  void Feed(std::string_view bytes);

  struct Item {
    std::string_view bytes;  ///< valid until the next Feed()
    bool json = false;       ///< else a protobuf message, without an envelope
  };
  /// The next object, still encoded; nothing if there is none before more bytes come.
  Result<std::optional<Item>> Next();

  /// What the list says of itself. An error if it is not whole.
  Result<meta::v1::ListMeta> Finish();

  class Format;

 private:
  std::string buffer_;
  std::size_t read_ = 0;
  std::unique_ptr<Format> format_;  // none before enough has come to tell
};

}  // namespace flyball::api
