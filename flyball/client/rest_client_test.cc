#include "flyball/client/rest_client.h"

#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/client/client.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;

constexpr char kNotFound[] =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods \"web\" not found",)"
    R"("reason":"NotFound","details":{"name":"web","kind":"pods"},"code":404})";

/// Runs a call in virtual time.
class RestClientTest : public testing::Test {
 protected:
  Result<transport::Response> Do(FakeTransport::Script script, const RestRequest& request) {
    transport_ = std::make_unique<FakeTransport>(std::move(script));
    std::optional<Result<transport::Response>> response;
    executor_.Start("test", [&] {
      RestClient client({.transport = *transport_, .clock = executor_.clock()},
                        {.user_agent = "tests/1.0", .path_prefix = "/prefix"});
      response = client.Do(request);
    });
    const SteadyTime start = executor_.clock().SteadyNow();
    executor_.Drain();
    took_ = executor_.clock().SteadyNow() - start;
    return *std::move(response);
  }

  static RestRequest Get() {
    return {.path = "/api/v1/namespaces/default/pods/web", .asked = "get pods default/web"};
  }
  static RestRequest Post() {
    RestRequest request = Get();
    request.method = "POST";
    request.body = "{}";
    request.content_type = kJsonType;
    request.asked = "create pods default/web";
    return request;
  }

  DeterministicExecutor executor_{1};
  std::unique_ptr<FakeTransport> transport_;
  std::chrono::nanoseconds took_ = {};
};

TEST_F(RestClientTest, SendsWhatEveryRequestNeeds) {
  RestRequest request = Post();
  request.query = "dryRun=All";
  const auto response =
      Do([](const auto&) { return FakeTransport::Answer::Of(201, "made"); }, request);
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "made");
  const transport::Request sent = transport_->requests().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, "/prefix/api/v1/namespaces/default/pods/web?dryRun=All&timeout=30000ms");
  EXPECT_EQ(sent.headers, (transport::Headers{{"accept", "application/json"},
                                              {"user-agent", "tests/1.0"},
                                              {"content-type", "application/json"}}));
  EXPECT_EQ(sent.body, "{}");
  EXPECT_EQ(sent.timeout, 60s);
}

TEST_F(RestClientTest, AStatusIsAnErrorOfItsReason) {
  const auto response =
      Do([](const auto&) { return FakeTransport::Answer::Of(404, kNotFound); }, Get());
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().Describe(), "not found: pods \"web\" not found");
}

TEST_F(RestClientTest, WaitsAsLongAsTheServerAsksAndSendsAgain) {
  for (const int status : {429, 500, 503}) {
    int asked = 0;
    const auto response = Do(
        [&](const auto&) {
          if (++asked < 3) return FakeTransport::Answer::Of(status, "", {{"retry-after", "2"}});
          return FakeTransport::Answer::Of(200, "");
        },
        Get());
    EXPECT_TRUE(response.has_value());
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(took_, 4s);
  }
}

TEST_F(RestClientTest, ServerThatAsksForADayHoldsNoRequestUp) {
  for (const RestRequest& request : {Get(), Post()}) {
    const auto response = Do(
        [](const auto&) { return FakeTransport::Answer::Of(429, "", {{"retry-after", "86400"}}); },
        request);
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().code(), ErrorCode::kTooManyRequests);
    EXPECT_EQ(response.error().detail().retry_after, 24h);
    EXPECT_EQ(took_, 0s);
  }
}

TEST_F(RestClientTest, RetriesOfARequestWaitFiveSecondsTogether) {
  const auto response =
      Do([](const auto&) { return FakeTransport::Answer::Of(429, "", {{"retry-after", "2"}}); },
         Post());
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(transport_->requests().size(), 3U);
  EXPECT_EQ(took_, 4s);
}

TEST_F(RestClientTest, WaitsForTheFirstOnlyOfManyRequestsRefusedAtOnce) {
  int sent = 0;
  transport_ = std::make_unique<FakeTransport>([&](const auto&) {
    if (++sent <= 100) return FakeTransport::Answer::Of(429, "", {{"retry-after", "1"}});
    return FakeTransport::Answer::Of(201, "");
  });
  executor_.Start("test", [&] {
    RestClient client({.transport = *transport_, .clock = executor_.clock()}, {});
    const SteadyTime start = executor_.clock().SteadyNow();
    std::vector<PendingAnswer> answers;
    for (int i = 0; i < 100; ++i) answers.push_back(client.Start(Post()));
    for (PendingAnswer& answer : answers) EXPECT_TRUE(answer.Wait().has_value());
    EXPECT_EQ(executor_.clock().SteadyNow() - start, 1s);
  });
  executor_.Drain();
}

TEST_F(RestClientTest, RepeatsAWriteAfter429AndAfterNoOtherStatus) {
  for (const char* const method : {"POST", "PUT", "PATCH", "DELETE"}) {
    RestRequest write = Post();
    write.method = method;
    for (const int status : {429, 500, 502, 503, 504}) {
      int sent = 0;
      const auto response = Do(
          [&](const auto&) {
            if (++sent == 1) return FakeTransport::Answer::Of(status, "", {{"retry-after", "1"}});
            return FakeTransport::Answer::Of(200, "");
          },
          write);
      SCOPED_TRACE(std::string(method) + " " + std::to_string(status));
      EXPECT_EQ(sent, status == 429 ? 2 : 1);
      EXPECT_EQ(response.has_value(), status == 429);
      if (response) continue;
      EXPECT_EQ(response.error().fate(), RequestFate::kUnknown);
      EXPECT_EQ(response.error().detail(), (ErrorDetail{.retry_after = 1s, .unsettled_for = 30s}));
    }
  }
}

TEST_F(RestClientTest, AReadThatFailsWith503IsNotInDoubt) {
  const auto response = Do([](const auto&) { return FakeTransport::Answer::Of(503, ""); }, Get());
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().fate(), RequestFate::kRefusedByProxy);
}

TEST_F(RestClientTest, ErrorSaysForHowLongTheServerMayStillAct) {
  const auto response = Do(
      [&](const auto&) {
        executor_.clock().SleepFor(4s);
        return FakeTransport::Answer::Of(503, "");
      },
      Post());
  ASSERT_FALSE(response.has_value());
  // Reckoned from its end: nobody knows for how long it waited before it left.
  EXPECT_EQ(response.error().detail().unsettled_for, 30s);
}

TEST_F(RestClientTest, NotFoundIsSaidByAStatusThatNamesTheObject) {
  RestRequest get = Get();
  get.name = "web";
  const auto code_of = [&](const std::string& body) {
    return Do([&](const auto&) { return FakeTransport::Answer::Of(404, body); }, get).error();
  };
  EXPECT_EQ(code_of(kNotFound).code(), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(kNotFound).fate(), RequestFate::kRefused);
  EXPECT_EQ(code_of("404 page not found\n").code(), ErrorCode::kNotServed);
  EXPECT_EQ(code_of("404 page not found\n").fate(), RequestFate::kRefusedByProxy);
  get.name = "other";
  EXPECT_EQ(code_of(kNotFound).code(), ErrorCode::kNotServed);
}

TEST_F(RestClientTest, GivesUpAfterTenRetriesAndSaysWhenToAskAgain) {
  const auto response =
      Do([](const auto&) { return FakeTransport::Answer::Of(429, "", {{"retry-after", "0"}}); },
         Get());
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(transport_->requests().size(), 11U);
  EXPECT_EQ(response.error().code(), ErrorCode::kTooManyRequests);
}

TEST_F(RestClientTest, A500WithoutRetryAfterIsFinal) {
  const auto response =
      Do([](const auto&) { return FakeTransport::Answer::Of(500, "<html>\nOops"); }, Get());
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(transport_->requests().size(), 1U);
  EXPECT_EQ(response.error().Describe(), "internal: get pods default/web: status 500: <html> Oops");
}

TEST_F(RestClientTest, ABrokenConnectionIsTriedAgainForAGetOnly) {
  const auto script = [](const auto&) {
    return FakeTransport::Answer::Broken({ErrorCode::kIo, "connection broke"});
  };
  EXPECT_FALSE(Do(script, Get()).has_value());
  EXPECT_EQ(transport_->requests().size(), 6U);
  const auto response = Do(script, Post());
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(transport_->requests().size(), 1U);
  EXPECT_EQ(response.error().Describe(), "i/o: create pods default/web: connection broke");
}

TEST_F(RestClientTest, AnswersThatAreNoStatusAreErrorsOfTheirNumber) {
  const std::tuple<int, std::string, ErrorCode> cases[] = {
      {400, "", ErrorCode::kBadRequest},
      {401, "no", ErrorCode::kUnauthorized},
      {403, "<html>", ErrorCode::kForbidden},
      {404, "{}", ErrorCode::kNotServed},
      {405, "[]", ErrorCode::kMethodNotAllowed},
      {406, "", ErrorCode::kNotAcceptable},
      {409, "", ErrorCode::kAlreadyExists},
      {410, "", ErrorCode::kGone},
      {413, "", ErrorCode::kTooLarge},
      {415, "", ErrorCode::kUnsupportedMediaType},
      {422, "{\"kind\":1}", ErrorCode::kInvalid},
      {502, "Bad Gateway", ErrorCode::kUnavailable},
      {504, "", ErrorCode::kServerTimeout},
      {418, "", ErrorCode::kBadRequest},
      {301, "", ErrorCode::kBadRequest},
  };
  for (const auto& [status, body, code] : cases) {
    const auto response =
        Do([&](const auto&) { return FakeTransport::Answer::Of(status, body); }, Post());
    ASSERT_FALSE(response.has_value()) << status;
    EXPECT_EQ(response.error().code(), code) << status;
  }
}

/// A watch over a body that comes in the given pieces.
class WatchTest : public testing::Test {
 protected:
  using Pod = core::v1::Pod;

  Result<Watch<Pod>> Open(const std::vector<std::string>& pieces, Encoding encoding,
                          Result<> end = {}) {
    transport_ = std::make_unique<FakeTransport>(
        [=](const auto&) { return FakeTransport::Answer{{200, {}}, pieces, end}; });
    rest_ = std::make_unique<RestClient>(
        RestClient::Deps{.transport = *transport_, .clock = clock_}, RestClient::Options{});
    return Client(*rest_, encoding).Of<Pod>().WatchIn("default");
  }

  static std::string Frame(std::string_view type, const std::string& object) {
    meta::v1::WatchEvent event;
    event.type = type;
    event.object.raw = object;
    return api::SealFrame(*api::EncodeProtobuf(event));
  }

  RealClock clock_;
  std::unique_ptr<FakeTransport> transport_;
  std::unique_ptr<RestClient> rest_;
};

TEST_F(WatchTest, EventsMayComeInAnyPieces) {
  Pod pod;
  pod.metadata.name = "web";
  const std::string object = EncodeBody(&pod, Pod::kType, Encoding::kProtobuf)->bytes;
  const std::string json = R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",)"
                           R"("metadata":{"name":"web"}}})"
                           "\n";
  for (const auto& [bytes, encoding] : {std::pair(Frame("MODIFIED", object), Encoding::kProtobuf),
                                        std::pair(json, Encoding::kJson)}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
      std::vector<std::string> pieces;
      for (std::size_t i = 0; i < bytes.size(); i += size) pieces.push_back(bytes.substr(i, size));
      auto watch = Open(pieces, encoding);
      ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
      const auto event = watch->Next();
      ASSERT_TRUE(event.has_value()) << event.error().Describe();
      ASSERT_TRUE(event->has_value());
      EXPECT_EQ((*event)->type, EventType::kModified);
      EXPECT_EQ((*event)->object, pod);
      const auto end = watch->Next();
      ASSERT_TRUE(end.has_value()) << end.error().Describe();
      EXPECT_FALSE(end->has_value());
    }
  }
}

TEST_F(WatchTest, AnErrorEventIsAnError) {
  auto watch = Open({R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1",)"
                     R"x("status":"Failure","message":"too old resource version: 1 (9)",)x"
                     R"("reason":"Expired","code":410}})"
                     "\n"},
                    Encoding::kJson);
  ASSERT_TRUE(watch.has_value());
  const auto event = watch->Next();
  ASSERT_FALSE(event.has_value());
  EXPECT_EQ(event.error().code(), ErrorCode::kGone);
  EXPECT_EQ(event.error().message(), "watch pods in default: too old resource version: 1 (9)");
}

TEST_F(WatchTest, HalfAnEventIsAnErrorAndSoIsABrokenConnection) {
  const std::string frame = Frame("ADDED", "x");
  auto half = Open({frame.substr(0, frame.size() - 1)}, Encoding::kProtobuf);
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ(half->Next().error().message(),
            "watch pods in default: unexpected EOF in the middle of a watch event");
  auto broken = Open({}, Encoding::kProtobuf, Fail(ErrorCode::kIo, "connection broke"));
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(broken->Next().error().message(), "watch pods in default: connection broke");
}

TEST_F(WatchTest, AnObjectOfAnotherKindIsRefused) {
  auto watch = Open({R"({"type":"ADDED","object":{"kind":"Node","apiVersion":"v1"}})"
                     "\n"},
                    Encoding::kJson);
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ(watch->Next().error().message(),
            "watch pods in default: expected kind Pod, got 'Node'");
}

TEST(Resource, HasAPathWithWhatNeedsItEscaped) {
  const auto pods = Resource::Of<core::v1::Pod>();
  EXPECT_EQ(pods.Path("", ""), "/api/v1/pods");
  EXPECT_EQ(pods.Path("ns", "a/b%", "status"), "/api/v1/namespaces/ns/pods/a%2Fb%25/status");
  const Resource widgets{"example.com", "v1", "widgets", "Widget", false};
  EXPECT_EQ(widgets.Path("ignored", "w"), "/apis/example.com/v1/widgets/w");
  EXPECT_EQ(widgets.QualifiedName(), "widgets.example.com");
}

TEST(QueryOf, HasTheOptionsThatAreSet) {
  meta::v1::ListOptions options;
  options.labelSelector = "a in (b, c)";
  options.limit = 500;
  options.sendInitialEvents = false;
  EXPECT_EQ(QueryOf(options),
            "labelSelector=a%20in%20%28b%2C%20c%29&limit=500&sendInitialEvents=false");
  meta::v1::CreateOptions dry;
  dry.dryRun = {"All"};
  EXPECT_EQ(QueryOf(dry), "dryRun=All");
  EXPECT_EQ(QueryOf(meta::v1::GetOptions()), "");
}

TEST_F(RestClientTest, WhatIsReadAsItComesMayComePacked) {
  // Made by gzip.
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xcb\x2c\x2a\x2e\x51\x00\x00\xfc\x7a\xf1\x1c\x06"
      "\x00\x00\x00",
      26);
  transport_ = std::make_unique<FakeTransport>([&](const auto&) {
    return FakeTransport::Answer{
        {200, {{"content-encoding", "gzip"}}}, {packed.substr(0, 9), packed.substr(9)}, {}};
  });
  RestClient client({.transport = *transport_, .clock = executor_.clock()}, {.takes_gzip = true});
  executor_.Start("test", [&] {
    auto stream = client.Open(Get());
    ASSERT_TRUE(stream) << stream.error().Describe();
    EXPECT_EQ(stream->Read(), "first ");
    EXPECT_EQ(stream->Read(), "");
  });
  executor_.Drain();
  EXPECT_EQ(transport::FindHeader(transport_->requests().at(0).headers, "accept-encoding"), "gzip");
}

TEST_F(RestClientTest, WhatEndsInTheMiddleOfAPackedPartIsAnError) {
  transport_ = std::make_unique<FakeTransport>([](const auto&) {
    return FakeTransport::Answer{
        {200, {{"content-encoding", "gzip"}}}, {std::string("\x1f\x8b\x08\x00", 4)}, {}};
  });
  RestClient client({.transport = *transport_, .clock = executor_.clock()}, {.takes_gzip = true});
  executor_.Start("test", [&] {
    auto stream = client.Open(Get());
    ASSERT_TRUE(stream) << stream.error().Describe();
    EXPECT_EQ(stream->Read().error().Describe(), "i/o: unexpected EOF in gzip stream");
  });
  executor_.Drain();
}

}  // namespace
}  // namespace flyball::client
