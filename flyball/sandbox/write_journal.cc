#include "flyball/sandbox/write_journal.h"

#include <utility>

#include "flyball/api/envelope.h"
#include "flyball/api/json.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object_identity.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/sandbox/request.h"

namespace flyball::sandbox {
namespace {

/// Of an object in an answer; empty if it has none that can be read.
std::string NameOf(std::string_view body) {
  if (!api::HasProtobufMagic(body)) {
    const auto object = api::Json::Parse(body);
    return object ? std::string(api::IdentityOf(*object).name) : std::string();
  }
  const auto envelope = api::OpenEnvelope(body);
  if (!envelope) return {};
  // All kinds have their metadata in the same place.
  const auto object = api::DecodeProtobuf<meta::v1::PartialObjectMetadata>(envelope->raw);
  return object ? object->metadata.name : std::string();
}

}  // namespace

void WriteJournal::Lines::Add(std::string line) {
  const MutexLock lock(mutex_);
  lines_.push_back(std::move(line));
}

std::vector<std::string> WriteJournal::Lines::Get() const {
  const MutexLock lock(mutex_);
  return lines_;
}

/// Reads an answer on its way.
class WriteJournal::Reader final : public transport::ResponseHandler {
 public:
  Reader(std::shared_ptr<Lines> lines, std::string_view method, RequestInfo target,
         std::shared_ptr<transport::ResponseHandler> next)
      : lines_(std::move(lines)),
        target_(std::move(target)),
        verb_(VerbOf(method, target_)),
        next_(std::move(next)) {}

  void OnHead(transport::ResponseHead head) override {
    granted_ = head.status < 300;
    next_->OnHead(std::move(head));
  }
  void OnData(std::string_view bytes) override {
    if (granted_ && IsNameless()) body_ += bytes;
    next_->OnData(bytes);
  }
  void OnEnd(Result<> how) override {
    if (granted_) lines_->Add(Line());
    next_->OnEnd(std::move(how));
  }

 private:
  /// What is created may have got its name from the server.
  bool IsNameless() const { return verb_ == "create" && target_.name.empty(); }

  std::string Line() const {
    std::string line = std::string(verb_) + " " + target_.plural;
    if (!target_.subresource.empty()) line += "/" + target_.subresource;
    line += " ";
    if (!target_.namespace_.empty()) line += target_.namespace_ + "/";
    return line + (IsNameless() ? NameOf(body_) : target_.name);
  }

  const std::shared_ptr<Lines> lines_;
  const RequestInfo target_;
  const std::string_view verb_;
  const std::shared_ptr<transport::ResponseHandler> next_;
  bool granted_ = false;
  std::string body_;
};

std::shared_ptr<transport::Exchange> WriteJournal::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  auto target = RequestInfo::Parse(request.target);
  if (request.method != "GET" && target && target->resource) {
    handler =
        std::make_shared<Reader>(lines_, request.method, *std::move(target), std::move(handler));
  }
  return next_.Send(std::move(request), std::move(handler));
}

}  // namespace flyball::sandbox
