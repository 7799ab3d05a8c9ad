#include "flyball/client/resource_reader.h"

#include "flyball/api/json_decode.h"
#include "flyball/api/protobuf_decode.h"

namespace flyball::client {

Result<Bookmark> Bookmark::Read(std::string_view object) {
  // Every kind has its metadata in the same place, which is all that a bookmark has.
  meta::v1::PartialObjectMetadata read;
  if (api::HasProtobufMagic(object)) {
    FLYBALL_TRY(const api::Envelope envelope, api::OpenEnvelope(object));
    FLYBALL_TRY(read, api::DecodeProtobuf<meta::v1::PartialObjectMetadata>(envelope.raw));
  } else {
    FLYBALL_TRY(read, api::DecodeJson<meta::v1::PartialObjectMetadata>(object));
  }
  const auto* const end = read.metadata.annotations.find("k8s.io/initial-events-end");
  return Bookmark{std::move(read.metadata.resourceVersion), end != nullptr && *end == "true"};
}

Result<meta::v1::ListMeta> ReadList(
    RestClient& rest, const RestRequest& request,
    const std::function<Result<>(const api::ListReader::Item&)>& each) {
  FLYBALL_TRY(auto stream, rest.Open(request, transport::Patience::kSilence));
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
