#include "tests/cluster/etcd_history.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "flyball/api/base64.h"
#include "flyball/api/json.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

/// A member deep in a document; null if it is not there.
const api::Json* At(const api::Json& document, std::initializer_list<std::string_view> path) {
  const api::Json* at = &document;
  for (const std::string_view name : path) {
    if (at != nullptr) at = at->Find(name);
  }
  return at;
}

std::string TextAt(const api::Json& document, std::initializer_list<std::string_view> path) {
  const api::Json* const found = At(document, path);
  const auto* const text = found == nullptr ? nullptr : found->If<std::string>();
  return text == nullptr ? "" : *text;
}

/// etcd writes its 64-bit numbers as texts.
std::int64_t NumberAt(const api::Json& document, std::initializer_list<std::string_view> path) {
  const std::string text = TextAt(document, path);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

transport::Request Ask(std::string target, const api::Json& body) {
  return {.method = "POST",
          .target = std::move(target),
          .headers = {{"content-type", "application/json"}},
          .body = body.ToString()};
}

}  // namespace

Result<std::unique_ptr<EtcdHistory>> EtcdHistory::Follow(const RealControlPlane& plane,
                                                         Executor& executor,
                                                         transport::Network& network, Wanted wanted,
                                                         Handler handler) {
  std::unique_ptr<EtcdHistory> history(
      new EtcdHistory(plane, executor, network, std::move(wanted), std::move(handler)));
  FLYBALL_TRY(const std::int64_t now, history->LatestRevision());
  FLYBALL_TRY(history->Start(now + 1));
  return history;
}

EtcdHistory::EtcdHistory(const RealControlPlane& plane, Executor& executor,
                         transport::Network& network, Wanted wanted, Handler handler)
    : clock_(executor.clock()),
      executor_(executor),
      wanted_(std::move(wanted)),
      handler_(std::move(handler)),
      transport_(network, [&plane] {
        transport::HttpTransport::Options options;
        options.server = *transport::Url::Parse(plane.etcd_url());
        return options;
      }()) {}

EtcdHistory::~EtcdHistory() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  clock_.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return ended_; });
}

Result<std::int64_t> EtcdHistory::LatestRevision() {
  // Any key will do: every answer says what the latest revision is.
  transport::Request request = Ask("/v3/kv/range", api::Json::Object{{"key", "AA=="}});
  request.timeout = 30s;
  FLYBALL_TRY(const auto response, transport::Fetch(transport_, clock_, std::move(request)));
  FLYBALL_TRY(const api::Json answer, api::Json::Parse(response.body));
  const std::int64_t revision = NumberAt(answer, {"header", "revision"});
  if (revision == 0) return Fail(ErrorCode::kMalformed, "etcd: " + response.body);
  return revision;
}

Result<> EtcdHistory::Start(std::int64_t revision) {
  // All keys: then each revision is one that we are told of, and we know how far we are.
  const std::string zero = api::EncodeBase64(std::string_view("\0", 1));
  const api::Json::Object create = {
      {"key", zero}, {"range_end", zero}, {"start_revision", std::to_string(revision)}};
  transport::Request request =
      Ask("/v3/watch", api::Json::Object{{"create_request", api::Json(create)}});
  request.timeout_scope = transport::TimeoutScope::kHeaders;
  request.timeout = 30s;
  transport::ResponseStream stream(transport_, clock_, std::move(request), stop_.get_token());
  FLYBALL_TRY(const auto head, stream.Head());
  if (head.status != 200) {
    return Fail(ErrorCode::kUnavailable, "etcd: " + std::to_string(head.status));
  }
  {
    MutexLock lock(mutex_);
    ended_ = false;
    told_ = revision - 1;
  }
  executor_.Start("etcd-history",
                  [this, stream = std::move(stream)]() mutable { ReadAll(std::move(stream)); });
  return {};
}

void EtcdHistory::ReadAll(transport::ResponseStream stream) {
  std::string unread;
  for (;;) {
    auto more = stream.Read();
    if (!more) return End(std::unexpected(std::move(more).error()));
    if (more->empty()) return End(Fail(ErrorCode::kIo, "etcd has ended the watch"));
    unread += *more;
    std::size_t start = 0;
    for (std::size_t end = 0; (end = unread.find('\n', start)) != std::string::npos;) {
      if (auto told = TellOf(std::string_view(unread).substr(start, end - start)); !told) {
        return End(std::move(told));
      }
      start = end + 1;
    }
    unread.erase(0, start);
  }
}

Result<> EtcdHistory::TellOf(std::string_view line) {
  FLYBALL_TRY(const api::Json message, api::Json::Parse(line));
  const api::Json* const result = message.Find("result");
  if (result == nullptr || result->Find("canceled") != nullptr) {
    return Fail(ErrorCode::kGone, "etcd: " + std::string(line.substr(0, 500)));
  }
  const api::Json* const events = result->Find("events");
  const auto* const list = events == nullptr ? nullptr : events->If<api::Json::Array>();
  std::int64_t told = 0;
  for (const api::Json& event : list == nullptr ? api::Json::Array() : *list) {
    Change change;
    change.revision = NumberAt(event, {"kv", "mod_revision"});
    FLYBALL_TRY(change.key, api::DecodeBase64(TextAt(event, {"kv", "key"})));
    told = change.revision;
    if (!wanted_(change.key)) continue;
    FLYBALL_TRY(change.value, api::DecodeBase64(TextAt(event, {"kv", "value"})));
    handler_(change);
  }
  MutexLock lock(mutex_);
  told_ = std::max(told_, told);
  changed_.NotifyAll();
  return {};
}

void EtcdHistory::End(Result<> how) {
  MutexLock lock(mutex_);
  ended_ = true;
  how_ = std::move(how);
  changed_.NotifyAll();
}

Result<> EtcdHistory::CatchUp(std::chrono::nanoseconds patience) {
  FLYBALL_TRY(const std::int64_t now, LatestRevision());
  MutexLock lock(mutex_);
  const bool is_there =
      clock_.WaitUntil(lock, changed_, clock_.DeadlineAfter(patience),
                       [&]() FLYBALL_REQUIRES(mutex_) { return told_ >= now || ended_; });
  if (ended_) return how_ ? Fail(ErrorCode::kIo, "it has ended") : how_;
  if (is_there) return {};
  return Fail(ErrorCode::kTimeout, "at " + std::to_string(told_) + " of " + std::to_string(now));
}

}  // namespace flyball::cluster
