// Every verb against a server that does what a healthy API server will not. The table says what is
// to become of each: above all that nothing is done twice which may have been done once.

#include <optional>
#include <ostream>

#include "flyball/api/apps/v1.h"
#include "flyball/base/fake_clock.h"
#include "flyball/base/mutex.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/server.h"
#include "tests/verbs/verbs.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using scripted::Request;
using testing::HasSubstr;
using verbs::Effect;
using verbs::Verb;

constexpr std::uint32_t kInternalError = 2;  // HTTP/2's codes for why a stream is reset
constexpr std::uint32_t kRefusedStream = 7;

struct Outcome {
  std::optional<ErrorCode> code = {};  ///< none: it succeeds
  std::string says = {};               ///< the error, besides what was asked
  int requests = 1;                    ///< that the server saw
  std::chrono::seconds waited = {};
  bool servers_words = false;                ///< the error says that and nothing else
  RequestFate fate = RequestFate::kUnknown;  ///< of a write
};

Outcome Succeeds() { return {}; }
/// Over again at once, since the server never took it.
Outcome SentAgain() { return {.requests = 2}; }
Outcome RetriedAfter(std::chrono::seconds wait) { return {.requests = 2, .waited = wait}; }
Outcome Fails(ErrorCode code, std::string says, int requests = 1) {
  return {.code = code, .says = std::move(says), .requests = requests};
}

Outcome Refused(ErrorCode code, std::string says) {
  return {.code = code, .says = std::move(says), .servers_words = true};
}

Outcome Of(RequestFate fate, Outcome outcome) {
  outcome.fate = fate;
  return outcome;
}

/// What the server does to the first request of a verb; it is well again for the second.
struct Fault {
  std::string name;
  std::function<void(const Request& request, const Verb& verb)> act;
  Outcome reads;
  std::optional<Outcome> watches;  ///< none: not for them
  Outcome writes;
  /// Of writes whose answer the client does not look at, if it makes a difference.
  std::optional<Outcome> blind_writes = {};
  /// Of reads that hand on what they have before they have all: as of watches, else as of reads.
  std::optional<Outcome> streams = {};

  scripted::ServerOptions server = {};
  bool nobody_there = false;
  bool unknown_authority = false;
  /// Where the time runs out, it is short, and the request may not even have got there.
  bool time_runs_out = false;
};

/// A fault whose outcome is the same for all.
Fault Alike(std::string name, std::function<void(const Request&, const Verb&)> act,
            const Outcome& outcome) {
  return {std::move(name), std::move(act), outcome, outcome, outcome};
}

/// A 5xx answer, which leaves it open whether a write was carried out.
Fault ServerError(std::string name, std::function<void(const Request&, const Verb&)> act,
                  const Outcome& outcome) {
  return {std::move(name), std::move(act), outcome, outcome, outcome};
}

/// One with Retry-After: only what reads is sent again.
Fault ServerErrorUntilLater(std::string name, std::function<void(const Request&, const Verb&)> act,
                            std::chrono::seconds wait, const Outcome& of_writes) {
  return {std::move(name), std::move(act), RetriedAfter(wait), RetriedAfter(wait), of_writes};
}

/// One after which the server may have acted or not: only what reads is tried again.
Fault Doubtful(std::string name, std::function<void(const Request&, const Verb&)> act,
               const std::string& says) {
  return {std::move(name), std::move(act), RetriedAfter(1s), RetriedAfter(1s),
          Fails(ErrorCode::kIo, says)};
}

/// The same in the middle of an answer: what has come of a watch cannot be taken back.
Fault DoubtfulInTheMiddle(std::string name, std::function<void(const Request&, const Verb&)> act,
                          const std::string& says) {
  return {std::move(name), std::move(act), RetriedAfter(1s), Fails(ErrorCode::kIo, says),
          Fails(ErrorCode::kIo, says)};
}

void Half(const Request& request, const Verb& verb) {
  request.Head(200);
  request.Data(verb.answer.substr(0, verb.answer.size() / 2));
}

std::function<void(const Request&, const Verb&)> Answers(int status, const std::string& body,
                                                         const transport::Headers& headers = {}) {
  return [=](const Request& request, const Verb&) { request.Answer(status, body, headers); };
}

/// The server refuses, in its own words or in those of something in front of it.
std::vector<Fault> Refusals() {
  constexpr char kLeaderChanged[] =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"etcdserver: leader changed","reason":"InternalError","code":500})";
  constexpr char kTimedOut[] =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"took too long","reason":"Timeout","details":{"retryAfterSeconds":3},)"
      R"("code":504})";
  constexpr char kNotFoundIn500[] =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"no backend","reason":"NotFound","code":404})";
  constexpr char kNotFoundOfAnother[] =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"no such path","reason":"NotFound","details":{},"code":404})";
  const std::string html = "<html>\n<body>Bad Gateway</body></html>";
  return {
      Alike("TooManyRequestsUntilLater", Answers(429, "", {{"retry-after", "4"}}),
            RetriedAfter(4s)),
      // Longer than a caller is kept waiting.
      Alike("TooManyRequestsUntilMuchLater", Answers(429, "", {{"retry-after", "86400"}}),
            Of(RequestFate::kRefusedByProxy, Fails(ErrorCode::kTooManyRequests, "status 429"))),
      Alike("TooManyRequests", Answers(429, ""),
            Of(RequestFate::kRefusedByProxy, Fails(ErrorCode::kTooManyRequests, "status 429"))),
      Alike("NotFoundByAProxy", Answers(404, "default backend - 404"),
            Of(RequestFate::kRefusedByProxy, Fails(ErrorCode::kNotServed, "status 404"))),
      Alike("NotFoundOfAnother", Answers(404, kNotFoundOfAnother),
            Of(RequestFate::kRefused, Refused(ErrorCode::kNotServed, "no such path"))),
      Alike("TimedOutInAProxy", Answers(408, ""), Fails(ErrorCode::kBadRequest, "status 408")),
      ServerErrorUntilLater("InternalErrorUntilLater",
                            Answers(500, kLeaderChanged, {{"retry-after", "2"}}), 2s,
                            Refused(ErrorCode::kInternal, "etcdserver: leader changed")),
      ServerError("InternalError", Answers(500, kLeaderChanged),
                  Refused(ErrorCode::kInternal, "etcdserver: leader changed")),
      ServerErrorUntilLater("ServerTimeoutUntilLater",
                            Answers(504, kTimedOut, {{"retry-after", "3"}}), 3s,
                            Refused(ErrorCode::kServerTimeout, "took too long")),
      ServerError("ServerTimeout", Answers(504, kTimedOut),
                  Refused(ErrorCode::kServerTimeout, "took too long")),
      ServerErrorUntilLater("BadGatewayOfAProxyUntilLater",
                            Answers(502, html, {{"retry-after", "1"}}), 1s,
                            Fails(ErrorCode::kUnavailable, "status 502: <html> <body>Bad Gateway")),
      ServerError("BadGatewayOfAProxy", Answers(502, html),
                  Fails(ErrorCode::kUnavailable, "status 502: <html> <body>Bad Gateway")),
      ServerErrorUntilLater("UnavailableUntilLater", Answers(503, "", {{"retry-after", "1"}}), 1s,
                            Fails(ErrorCode::kUnavailable, "status 503")),
      ServerError("UnavailableWithoutAWord", Answers(503, ""),
                  Fails(ErrorCode::kUnavailable, "status 503")),
      // As upstream, which knows seconds only.
      ServerError("UnavailableUntilADate",
                  Answers(503, "", {{"retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"}}),
                  Fails(ErrorCode::kUnavailable, "status 503")),
      // A body that denies it does not outweigh the status.
      ServerError("NotFoundWithAStatusOf500", Answers(500, kNotFoundIn500),
                  Refused(ErrorCode::kNotServed, "no backend")),
      Alike("Unauthorized", Answers(401, ""),
            Of(RequestFate::kRefusedByProxy, Fails(ErrorCode::kUnauthorized, "status 401"))),
      // The status of a watch is known before its body is asked for.
      {"HalfARefusal",
       [](const Request& request, const Verb&) {
         request.Head(500, {{"content-length", "100"}});
         request.Data("half");
         request.Kill();
       },
       RetriedAfter(1s), Fails(ErrorCode::kInternal, "status 500: half"),
       Fails(ErrorCode::kIo, "broke")},
  };
}

/// Streams and connections break, or end in good order.
std::vector<Fault> Breaks() {
  return {
      Doubtful(
          "ResetStream", [](const Request& request, const Verb&) { request.Reset(kInternalError); },
          "reset the stream: INTERNAL_ERROR"),
      Alike(
          "RefusedStream",
          [](const Request& request, const Verb&) { request.Reset(kRefusedStream); }, SentAgain()),
      DoubtfulInTheMiddle(
          "ResetInTheMiddle",
          [](const Request& request, const Verb& verb) {
            Half(request, verb);
            request.Reset(kInternalError);
          },
          "reset the stream: INTERNAL_ERROR"),
      DoubtfulInTheMiddle(
          "RefusedInTheMiddle",
          [](const Request& request, const Verb& verb) {
            Half(request, verb);
            request.Reset(kRefusedStream);
          },
          "in the middle of the response"),
      Alike(
          "GoAwayWithoutIt", [](const Request& request, const Verb&) { request.GoAway(true); },
          SentAgain()),
      Alike(
          "GoAwayAfterIt",
          [](const Request& request, const Verb& verb) {
            request.GoAway();
            request.Answer(200, verb.answer);
          },
          Succeeds()),
      Alike(
          "GoAwayInTheMiddle",
          [](const Request& request, const Verb& verb) {
            Half(request, verb);
            request.GoAway();
            request.Data(verb.answer.substr(verb.answer.size() / 2));
            request.End();
          },
          Succeeds()),
      DoubtfulInTheMiddle(
          "GoAwayInTheMiddleThenGone",
          [](const Request& request, const Verb& verb) {
            Half(request, verb);
            request.GoAway();
            request.Kill();
          },
          "broke"),
      Doubtful(
          "GoAwayThenGone",
          [](const Request& request, const Verb&) {
            request.GoAway();
            request.Kill();
          },
          "shutting down"),
      Doubtful(
          "Gone", [](const Request& request, const Verb&) { request.Kill(); }, "broke"),
      DoubtfulInTheMiddle(
          "GoneInTheMiddle",
          [](const Request& request, const Verb& verb) {
            Half(request, verb);
            request.Kill();
          },
          "broke"),
      Doubtful(
          "HalfAFrame",
          [](const Request& request, const Verb&) {
            request.Garbage(std::string("\0\0\x08\x06\0\0\0\0\0half", 13));  // a ping
          },
          "broke"),
      Doubtful(
          "NotHttp",
          [](const Request& request, const Verb&) { request.Garbage("garbage!garbage!"); },
          "broke"),
  };
}

/// What comes is whole, as far as HTTP goes, and still is not what was asked for.
std::vector<Fault> WrongAnswers() {
  const Outcome malformed = Fails(ErrorCode::kMalformed, "");
  const Outcome half_a_list = Fails(ErrorCode::kIo, "ends in the middle");
  return {
      {"CutShort",
       [](const Request& request, const Verb& verb) {
         Half(request, verb);
         request.End();
       },
       malformed, Fails(ErrorCode::kIo, "unexpected EOF in the middle of a watch event"), malformed,
       Succeeds(), half_a_list},
      DoubtfulInTheMiddle(
          "ShorterThanItSays",
          [](const Request& request, const Verb& verb) {
            request.Head(200, {{"content-length", std::to_string(verb.answer.size())}});
            request.Data(verb.answer.substr(0, verb.answer.size() / 2));
            request.End();
          },
          "PROTOCOL_ERROR"),
      // To a watch that is one without events.
      {"NoAnswer", Answers(200, ""), malformed, std::nullopt, malformed, Succeeds(), half_a_list},
      // To a watch it depends on the encoding what is wrong with this: see below.
      {"AWebPage", Answers(200, "<html>Please log in</html>\n"), malformed, std::nullopt, malformed,
       Succeeds()},
  };
}

/// The time runs out, or there is nobody whom we would talk to.
std::vector<Fault> Absences() {
  const auto nothing = [](const Request&, const Verb&) {};
  Fault never = Alike("NeverAnswers", nothing,
                      Fails(ErrorCode::kTimeout, "timed out waiting for the response"));
  never.time_runs_out = true;

  // A silent watch is a healthy one.
  Fault stalls{"Stalls", Half, Fails(ErrorCode::kTimeout, "timed out"), std::nullopt,
               Fails(ErrorCode::kTimeout, "timed out")};
  stalls.time_runs_out = true;

  Fault other_name =
      Alike("AnothersCertificate", nothing,
            Of(RequestFate::kNotSent, Fails(ErrorCode::kUnauthorized, "mismatch", 0)));
  other_name.server.names = "DNS:elsewhere.example";
  Fault other_authority =
      Alike("UnknownAuthority", nothing,
            Of(RequestFate::kNotSent, Fails(ErrorCode::kUnauthorized, "is not trusted", 0)));
  other_authority.unknown_authority = true;
  Fault mute = Alike("NeverSaysAWord", nothing,
                     Of(RequestFate::kNotSent, Fails(ErrorCode::kUnavailable, "127.0.0.1:", 0)));
  mute.server.mute = true;
  mute.time_runs_out = true;
  Fault nobody =
      Alike("NobodyThere", nothing,
            Of(RequestFate::kNotSent, Fails(ErrorCode::kUnavailable, "connect to 127.0.0.1:", 0)));
  nobody.nobody_there = true;
  return {never, stalls, other_name, other_authority, mute, nobody};
}

struct Case {
  Fault fault;
  Encoding encoding;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.fault.name; }

/// Each fault in both encodings, if it comes to encodings.
std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const auto& faults : {Refusals(), Breaks(), WrongAnswers()}) {
    for (const Fault& fault : faults) {
      cases.push_back({fault, Encoding::kProtobuf});
      cases.push_back({fault, Encoding::kJson});
    }
  }
  for (const Fault& fault : Absences()) cases.push_back({fault, Encoding::kProtobuf});
  return cases;
}

const Outcome* OutcomeOf(const Fault& fault, const Verb& verb) {
  if (verb.effect == Effect::kReads) return &fault.reads;
  if (verb.effect == Effect::kStreams) {
    if (fault.streams) return &*fault.streams;
    return fault.watches ? &*fault.watches : &fault.reads;
  }
  if (verb.effect == Effect::kWatches) return fault.watches ? &*fault.watches : nullptr;
  return verb.IgnoresAnswer() && fault.blind_writes ? &*fault.blind_writes : &fault.writes;
}

/// A client and a server that has a fault. What the client waits for other than the server, it
/// waits for in no time.
class FaultyServer {
 public:
  FaultyServer(Fault fault, Encoding encoding) : fault_(std::move(fault)) {
    clock_.SkipWaits();
    server_.emplace(executor_, [this](const Request& request) { Handle(request); }, fault_.server);
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(server_->url());
    const scripted::Authority unknown;
    const auto& authority = fault_.unknown_authority ? unknown : server_->authority();
    options.tls = [roots = authority.certificate()] {
      return transport::TlsOptions{.roots = roots};
    };
    if (fault_.server.mute) options.connect_timeout = 5ms;
    const bool request_times_out = fault_.time_runs_out && !fault_.server.mute;
    transport_.emplace(network_, options);
    rest_.emplace(RestClient::Deps{.transport = *transport_, .clock = clock_},
                  RestClient::Options{.timeout = request_times_out ? 5ms : 60s});
    client_.emplace(*rest_, encoding);
    if (fault_.nobody_there) server_.reset();
  }

  /// Runs a verb, and says how it went.
  Result<api::Json> Run(const Verb& verb) {
    {
      const MutexLock lock(mutex_);
      verb_ = &verb;
      requests_ = 0;
    }
    const SteadyTime start = clock_.SteadyNow();
    auto result = verb.run(*client_);
    waited_ = clock_.SteadyNow() - start;
    return result;
  }
  int requests() {
    const MutexLock lock(mutex_);
    return requests_;
  }
  /// Of all verbs so far.
  int all_requests() {
    const MutexLock lock(mutex_);
    return all_requests_;
  }
  std::chrono::nanoseconds waited() const { return waited_; }
  const Client& client() const { return *client_; }

 private:
  void Handle(const Request& request) {
    const MutexLock lock(mutex_);
    ++all_requests_;
    // A request that was given up on may arrive while the next verb runs: none is answered then.
    if (++requests_ == 1 || fault_.time_runs_out) return fault_.act(request, *verb_);
    request.Answer(200, verb_->answer);
  }

  const Fault fault_;
  FakeClock clock_;
  RealClock real_clock_;
  ElasticExecutor executor_{real_clock_};
  transport::Network network_{executor_};
  Mutex mutex_;
  const Verb* verb_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
  int requests_ FLYBALL_GUARDED_BY(mutex_) = 0;
  int all_requests_ FLYBALL_GUARDED_BY(mutex_) = 0;
  std::chrono::nanoseconds waited_ = {};
  std::optional<scripted::Server> server_;
  std::optional<transport::HttpTransport> transport_;
  std::optional<RestClient> rest_;
  std::optional<Client> client_;
};

class ClientFaultTest : public testing::TestWithParam<Case> {
 protected:
  static void ExpectOutcome(FaultyServer& server, const Verb& verb, const Outcome& expected) {
    const auto result = server.Run(verb);
    if (!GetParam().fault.time_runs_out) {
      EXPECT_EQ(server.requests(), expected.requests);
    }
    EXPECT_EQ(server.waited(), expected.waited);
    if (!expected.code) {
      ASSERT_TRUE(result.has_value()) << result.error().Describe();
      EXPECT_EQ(*result, verb.outcome);
      return;
    }
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code(), *expected.code) << result.error().Describe();
    if (verb.effect == Effect::kWrites) {
      EXPECT_EQ(result.error().fate(), expected.fate);
    }
    if (expected.servers_words) {
      EXPECT_EQ(result.error().message(), expected.says);
      return;
    }
    EXPECT_THAT(result.error().message(), HasSubstr(expected.says));
    EXPECT_THAT(result.error().message(), testing::StartsWith(verb.asked + ": "));
  }
};

INSTANTIATE_TEST_SUITE_P(Faults, ClientFaultTest, testing::ValuesIn(AllCases()),
                         [](const auto& one) {
                           const bool json = one.param.encoding == Encoding::kJson;
                           return one.param.fault.name + (json ? "Json" : "Protobuf");
                         });

TEST_P(ClientFaultTest, EndsAsItShouldForEveryVerb) {
  const auto& [fault, encoding] = GetParam();
  FaultyServer server(fault, encoding);
  int verbs = 0;
  for (const Verb& verb : verbs::AllVerbs("space", encoding)) {
    SCOPED_TRACE(verb.name);
    const Outcome* const expected = OutcomeOf(fault, verb);
    if (expected == nullptr) continue;
    ExpectOutcome(server, verb, *expected);
    ++verbs;
  }
  EXPECT_GE(verbs, 30);
  // Where the time runs out, a request may never have been sent, but none was sent twice.
  if (fault.time_runs_out) {
    EXPECT_LE(server.all_requests(), verbs);
  }
}

/// A server whose handler a test writes by hand.
class WatchFaultTest : public testing::Test {
 protected:
  using Deployment = apps::v1::Deployment;

  Client Connect(scripted::Server::Handler handler, RestClient::Options options = {},
                 transport::HttpTransport::Options how = {}) {
    server_.emplace(executor_, std::move(handler));
    how.server = *transport::Url::Parse(server_->url());
    how.tls = [roots = server_->authority().certificate()] {
      return transport::TlsOptions{.roots = roots};
    };
    transport_.emplace(network_, how);
    rest_.emplace(RestClient::Deps{.transport = *transport_, .clock = clock_}, std::move(options));
    return Client(*rest_, Encoding::kProtobuf);
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  transport::Network network_{executor_};
  std::optional<scripted::Server> server_;
  std::optional<transport::HttpTransport> transport_;
  std::optional<RestClient> rest_;
};

TEST_F(WatchFaultTest, ARefusalWhoseTextDoesNotComeIsOneWithoutIt) {
  const Client client = Connect(
      [](const Request& request) {
        request.Head(500);
        request.Data("half");
      },
      {.timeout = 500ms});
  const auto watch = client.Of<Deployment>().WatchIn("space");
  ASSERT_FALSE(watch.has_value());
  EXPECT_EQ(watch.error().Describe(),
            "internal: watch deployments.apps in space: status 500: half");
}

TEST_F(WatchFaultTest, SilenceIsNoFaultAndEndsWhenTheWatcherHasEnough) {
  const Client client = Connect([](const Request& request) { request.Head(200); }, {.timeout = 1s});
  auto watch = client.Of<Deployment>().WatchIn("space");
  ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
  watch->Cancel();
  const auto event = watch->Next();
  ASSERT_FALSE(event.has_value());
  EXPECT_EQ(event.error().Describe(),
            "cancelled: watch deployments.apps in space: request cancelled");
}

TEST_F(WatchFaultTest, AWebPageIsNoEvent) {
  for (const Encoding encoding : {Encoding::kProtobuf, Encoding::kJson}) {
    Connect([](const Request& request) { request.Answer(200, "<html>Please log in</html>\n"); });
    auto watch = Client(*rest_, encoding).Of<Deployment>().WatchIn("space");
    ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
    const auto event = watch->Next();
    ASSERT_FALSE(event.has_value());
    EXPECT_THAT(event.error().message(), testing::StartsWith("watch deployments.apps in space: "));
  }
}

TEST_F(WatchFaultTest, APeerThatFallsSilentForGoodIsFoundOutAndTheWatchEndsForIt) {
  transport::HttpTransport::Options watchful;
  watchful.ping_after = watchful.ping_timeout = 200ms;
  const Client client = Connect(
      [](const Request& request) {
        request.Head(200);
        request.Data("half");
        request.Freeze();
      },
      {}, watchful);
  auto watch = client.Of<Deployment>().WatchIn("space");
  ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
  const auto event = watch->Next();
  ASSERT_FALSE(event.has_value());
  EXPECT_EQ(event.error().code(), ErrorCode::kIo);
  EXPECT_THAT(event.error().message(), testing::MatchesRegex("watch deployments.apps in space: "
                                                             ".* broke: no answer to a ping"));
}

}  // namespace
}  // namespace flyball::client
