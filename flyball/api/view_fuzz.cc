#include "flyball/api/core/v1.h"
#include "flyball/api/internal/view_oracle.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/view_decode.h"
#include "flyball/api/views.h"
#include "flyball/base/check.h"

namespace {

using namespace flyball;  // NOLINT(google-build-using-namespace)

template <typename View, typename Full>
void Check(api::ViewDecoder& decoder, std::string_view bytes) {
  const auto view = decoder.Decode<View>(bytes);
  if (!view) {
    FLYBALL_CHECK(!view.error().message().empty(), "an error that says nothing");
    return;
  }
  // A view skips what it does not keep, so it may read what the full object refuses.
  const auto full = api::DecodeProtobuf<Full>(bytes);
  if (!full) return;
  const std::string difference =
      api::CompareWithFull(view->get(), View::kView, &*full, Full::kType);
  FLYBALL_CHECK(difference.empty(), difference);
}

}  // namespace

/// Whatever both can read, a view and the full object say the same of it. The decoder, and so its
/// pool, is that of all inputs before.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static api::ViewDecoder decoder;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 == 0) {
    Check<views::Node, core::v1::Node>(decoder, bytes);
  } else {
    Check<views::Pod, core::v1::Pod>(decoder, bytes);
  }
  return 0;
}
