#include "flyball/client/resource_reader.h"

#include "flyball/client/object_codec.h"

namespace flyball::client {

Result<Bookmark> Bookmark::Read(std::string_view object) {
  // Which is all that a bookmark has.
  FLYBALL_TRY(meta::v1::ObjectMeta metadata, DecodeMetadata(object));
  const auto* const end = metadata.annotations.find("k8s.io/initial-events-end");
  return Bookmark{std::move(metadata.resourceVersion), end != nullptr && *end == "true"};
}

Result<meta::v1::ListMeta> ReadList(
    RestClient& rest, const RestRequest& request,
    const std::function<Result<>(const api::ListReader::Item&)>& each) {
  FLYBALL_TRY(auto stream, rest.Open(request, transport::TimeoutScope::kIdle));
  api::ListReader list;
  const auto read = [&]() -> Result<meta::v1::ListMeta> {
    for (;;) {
      FLYBALL_TRY(const std::string bytes, stream.Read(transport::ResponseStream::kMostAtOnce));
      if (bytes.empty()) return list.Finish();
      list.Feed(bytes);
      for (;;) {
        FLYBALL_TRY(const auto item, list.Next());
        if (!item) break;
        FLYBALL_TRY(each(*item));
      }
    }
  };
  auto metadata = read();
  if (!metadata) return std::unexpected(metadata.error().Wrap(request.asked));
  return metadata;
}

}  // namespace flyball::client
