#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <utility>
#include <vector>

#include "flyball/serving/internal/alarm.h"
#include "flyball/serving/internal/http1_request.h"
#include "flyball/serving/internal/session.h"

namespace flyball::serving {
namespace {

using boost::system::error_code;

constexpr std::size_t kInputSize = 32 << 10;
/// How far a client may be ahead with its next requests while one is answered.
constexpr std::size_t kMostAhead = 64 << 10;
/// How long a client is listened to that was refused, so that it reads why.
constexpr std::chrono::nanoseconds kLinger = std::chrono::seconds(2);

/// One request after another. A client may send the next before the last is answered; it waits.
///
/// At any time the session either reads a request (`answer_` is null) or writes an answer.
class Http1Session final : public Session {
 public:
  Http1Session(SessionDeps deps, std::unique_ptr<transport::ByteStream> stream, Peer peer,
               Closed closed)
      : Session(std::move(deps), std::move(stream), std::move(peer), std::move(closed)),
        alarm_(deps_.deadlines),
        input_(kInputSize) {}

  void Open(std::string received) override {
    unparsed_ = std::move(received);
    AwaitRequest(deps_.limits.request);
    Advance();
  }

  void OnResponseProgress(ServerResponse& answer) override {
    if (&answer == answer_.get()) Advance();
  }

  void Drain() override {
    draining_ = true;
    // A request of which part is here has not been taken.
    if (!answer_) Close();
  }

  void Close() override {
    if (std::exchange(closed_, true)) return;
    const auto self = shared_from_this();
    alarm_.Clear();
    if (const auto answer = std::exchange(answer_, nullptr)) answer->Drop();
    stream_->Close();
    closed_callback_(*this);
  }

 private:
  /// Reads and writes for as long as something can be done at once.
  void Advance() {
    if (std::exchange(advancing_, true)) return;
    int writes = 0;
    while (!closed_ && !writing_ && (answer_ ? WriteSome() : TakeRequest())) {
      if (++writes < kWritesATurn) continue;
      boost::asio::post(deps_.network, [self = shared_from_this(), this] { Advance(); });
      break;
    }
    advancing_ = false;
    ReadIfRoom();
  }

  void AwaitRequest(std::chrono::nanoseconds patience) {
    alarm_.Set(patience, [this] { Close(); });
  }

  /// Reads also while it answers: that is how a client's going is noticed.
  void ReadIfRoom() {
    if (reading_ || closed_ || gone_ || unparsed_.size() >= kMostAhead) return;
    reading_ = true;
    stream_->ReadSome(boost::asio::buffer(input_),
                      [self = shared_from_this(), this](error_code failed, std::size_t size) {
                        reading_ = false;
                        if (closed_) return;
                        if (failed) return PeerGone();
                        if (!lingering_) unparsed_.append(input_.data(), size);
                        Advance();
                      });
  }

  /// Who has said all that it wants to say may still read what is here; but it cannot be told from
  /// one that has gone, so that nothing is awaited for it.
  void PeerGone() {
    gone_ = true;
    keep_alive_ = false;
    if (!answer_ || !answer_->ended()) Close();
  }

  /// Whether there is something to go on with.
  bool TakeRequest() {
    if (lingering_ || unparsed_.empty()) return false;
    if (!parser_) {
      parser_.emplace(deps_.limits);
      AwaitRequest(deps_.limits.request);
    }
    const std::size_t used = parser_->Put(unparsed_);
    unparsed_.erase(0, used);
    if (parser_->refusal() != 0) {
      Refuse(parser_->refusal());
      return true;
    }
    if (parser_->done()) {
      Begin();
      return true;
    }
    if (parser_->TakeWantsContinue() && unparsed_.empty()) {
      output_ = "HTTP/1.1 100 Continue\r\n\r\n";
      Write();
    }
    return used > 0 && !unparsed_.empty();
  }

  void Begin() {
    alarm_.Clear();
    transport::Request request = parser_->TakeRequest();
    request.peer = peer_.identity;
    request.peer_certificates = peer_.certificates;
    chunks_ = parser_->version() >= 11;
    keep_alive_ = chunks_ && parser_->keep_alive() && !draining_ && !gone_;
    parser_.reset();
    answer_ = std::make_shared<ServerResponse>(deps_.notifier, weak_from_this(),
                                               /*wants_body=*/request.method != "HEAD");
    answer_->Ask(deps_.answers, std::move(request));
  }

  /// What follows cannot be understood, so it is the last answer.
  void Refuse(int status) {
    alarm_.Clear();
    parser_.reset();
    unparsed_.clear();
    chunks_ = true;
    keep_alive_ = false;
    lingering_ = true;
    answer_ =
        std::make_shared<ServerResponse>(deps_.notifier, weak_from_this(), /*wants_body=*/true);
    const auto reason =
        boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
    answer_->AnswerWith(status, std::string(reason) + "\n");
  }

  bool WriteSome() {
    output_.clear();
    if (!answer_->begun) {
      if (answer_->head() == nullptr) return false;
      AppendHead();
    }
    if (answer_->has_body()) AppendBody();
    const bool all = answer_->ended() && answer_->body().empty();
    if (all && answer_->failed()) {
      Close();  // there is no other way to say that something is missing
      return false;
    }
    if (all && chunked_ && !finished_) output_ += "0\r\n\r\n";
    finished_ = all;
    if (output_.empty() && !finished_) return false;
    Write();
    return true;
  }

  void AppendHead() {
    const transport::ResponseHead& head = *answer_->head();
    const auto reason =
        boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(head.status));
    output_.append("HTTP/1.1 ").append(std::to_string(head.status)).append(" ");
    output_.append(reason.data(), reason.size()).append("\r\n");
    for (const auto& [name, value] : head.headers) {
      output_.append(name).append(": ").append(value).append("\r\n");
    }
    if (transport::FindHeader(head.headers, "date").empty()) {
      output_.append("date: ").append(deps_.date->Now()).append("\r\n");
    }
    const bool sized = !transport::FindHeader(head.headers, "content-length").empty();
    chunked_ = answer_->has_body() && !sized && chunks_;
    if (chunked_) output_ += "transfer-encoding: chunked\r\n";
    if (answer_->has_body() && !sized && !chunks_) keep_alive_ = false;
    if (!keep_alive_) output_ += "connection: close\r\n";
    output_ += "\r\n";
    answer_->begun = true;
  }

  void AppendBody() {
    const std::string_view part = answer_->body().substr(0, kOutputSize);
    if (part.empty()) return;
    if (chunked_) {
      char size[16];
      output_.append(size, std::to_chars(size, size + sizeof(size), part.size(), 16).ptr);
      output_ += "\r\n";
    }
    output_ += part;
    if (chunked_) output_ += "\r\n";
    in_write_ = part.size();
    answer_->Take(part.size());
  }

  void Write() {
    writing_ = true;
    const bool at_once = stream_->WriteAll(
        boost::asio::buffer(output_), [self = shared_from_this(), this](error_code failed, auto) {
          if (closed_) return;
          if (failed) return Close();
          Written();
          Advance();
        });
    if (at_once) return Written();
    if (answer_) alarm_.Set(deps_.limits.write, [this] { Close(); });
  }

  void Written() {
    writing_ = false;
    if (!answer_) return;  // it was but "100 Continue"
    alarm_.Clear();
    answer_->Sent(std::exchange(in_write_, 0));
    if (closed_ || !std::exchange(finished_, false)) return;
    answer_.reset();
    if (lingering_) return alarm_.Set(kLinger, [this] { Close(); });
    if (!keep_alive_ || draining_) {
      stream_->SayGoodbye();
      return Close();
    }
    AwaitRequest(deps_.limits.idle);
  }

  Alarm alarm_;
  std::vector<char> input_;
  std::string unparsed_;
  std::optional<Http1Request> parser_;
  std::shared_ptr<ServerResponse> answer_;
  std::string output_;
  std::size_t in_write_ = 0;  // bytes of the body
  bool chunks_ = true;        // the client understands them
  bool chunked_ = false;      // the answer that is being written is
  bool keep_alive_ = true;
  bool finished_ = false;  // all of the answer is in what is being written
  bool lingering_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool advancing_ = false;
  bool draining_ = false;
  bool gone_ = false;  // the client says no more
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<Session> MakeHttp1Session(SessionDeps deps,
                                          std::unique_ptr<transport::ByteStream> stream, Peer peer,
                                          Session::Closed closed) {
  return std::make_shared<Http1Session>(std::move(deps), std::move(stream), std::move(peer),
                                        std::move(closed));
}

}  // namespace flyball::serving
