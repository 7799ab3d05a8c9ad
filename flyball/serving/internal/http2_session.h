#pragma once

#include <nghttp2/nghttp2.h>

#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "flyball/serving/internal/alarm.h"
#include "flyball/serving/internal/session.h"
#include "flyball/transport/internal/http2_session.h"

namespace flyball::serving {

/// Many requests at once. What one turn of the network thread has to send goes out in one write. A
/// client that does not read one answer holds up that answer: HTTP/2's windows say how much of it
/// may go out, and only what has gone out is acknowledged to whoever gives it.
///
/// Requests are handed over after all of the input has been read, so that those that are given up
/// in the same breath cost nobody anything.
class Http2Session final : public Session {
 public:
  Http2Session(SessionDeps deps, std::unique_ptr<transport::ByteStream> stream, Peer peer,
               Closed closed);
  ~Http2Session() override;

  void Open(std::string received) override;
  void OnResponseProgress(ServerResponse& answer) override;
  void Drain() override;
  void Close() override;

 private:
  struct Stream {
    std::int32_t id = 0;
    transport::Request request = {};
    std::size_t head_size = 0;
    bool expects_continue = false;
    bool complete = false;  ///< all of the request is here, or no more of it is wanted
    bool old = false;       ///< it was not complete when that was looked at last
    std::chrono::nanoseconds stuck_for = {};  ///< nothing of the answer was taken
    std::shared_ptr<ServerResponse> answer = {};
  };

  void MakeSession();
  void Respond(ServerResponse& answer);
  void Refuse(Stream& stream, int status);
  void HandOver();
  void ScheduleFlush();
  void Flush();
  void Gather();
  void AcknowledgeWritten();
  void ReadMore();
  void Received(std::string_view bytes);
  void CloseIfDone();
  void CutOff(std::uint32_t code);
  void WatchClient();
  bool IsGivenUp(Stream& stream, std::chrono::nanoseconds since_last_look) const;

  // nghttp2's callbacks.
  int OnBeginHeaders(const nghttp2_frame& frame);
  int OnHeader(const nghttp2_frame& frame, std::string_view name, std::string_view value);
  int OnData(std::int32_t id, std::string_view bytes);
  int OnFrameReceived(const nghttp2_frame& frame);
  int OnFrameSent(const nghttp2_frame& frame);
  int OnStreamClosed(std::int32_t id);
  int SendData(const nghttp2_frame& frame, const std::uint8_t* frame_head, std::size_t size,
               ServerResponse& answer);
  Stream* StreamOf(std::int32_t id) const;

  transport::Http2SessionPtr session_;
  std::unordered_map<std::int32_t, std::unique_ptr<Stream>> streams_;
  /// Given up by the client, but not yet by whoever answers.
  std::unordered_set<std::shared_ptr<ServerResponse>> dropped_;
  std::vector<std::int32_t> ready_;  // requests to hand over
  Alarm alarm_;
  std::vector<nghttp2_nv> fields_;  // of the answer that is being submitted
  std::vector<char> input_;
  std::string output_;
  std::vector<std::pair<std::shared_ptr<ServerResponse>, std::size_t>>
      in_write_;  // bytes in `output_`
  std::chrono::nanoseconds idle_for_ = {};
  std::chrono::nanoseconds stuck_for_ = {};  // nothing of a write was taken
  bool heard_ = false;                       // a request came since that was looked at last
  bool wrote_ = false;                       // something went out since then
  bool writing_ = false;
  bool flush_scheduled_ = false;
  bool receiving_ = false;
  bool draining_ = false;
  bool closed_ = false;
};

}  // namespace flyball::serving
