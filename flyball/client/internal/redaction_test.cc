#include "flyball/client/internal/redaction.h"

#include "gtest/gtest.h"

namespace flyball::client {
namespace {

TEST(Redactor, HidesWhatLooksLikeASecret) {
  const std::pair<std::string, std::string> cases[] = {
      {"Authorization: Bearer s3cret", "Authorization: Bearer ..."},
      {"> authorization: Basic czNjcmV0 <", "> authorization: Basic ... <"},
      {"curl -H 'Authorization: Bearer s3cret' https://h",
       "curl -H 'Authorization: Bearer ...' https://h"},
      {R"({"kind": "X", "status": {"token": "s3cret", "a": 1}})",
       R"({"kind": "X", "status": {"token": "...", "a": 1}})"},
      {R"({"clientKeyData":"s3cret"})", R"({"clientKeyData":"..."})"},
      {"DB_PASSWORD=s3cret ./run --api-key=s3cret", "DB_PASSWORD=... ./run --api-key=..."},
      {"token : s3cret", "token : ..."},
      {"GET /login?id_token=s3cret&x=y", "GET /login?id_token=...&x=y"},
      {"proxy http://jane:s3cret@proxy:3128/ refused", "proxy http://...@proxy:3128/ refused"},
      {"got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqYW5lIn0.c2lnbmF0dXJl", "got ..."},
      {"id=AKIAIOSFODNN7examplekey", "id=..."},
      {"deadbeefdeadbeefdeadbeefdeadbe0f", "..."},
      {"join abcdef.0123456789abcdef", "join ..."},
      {"key -----BEGIN EC PRIVATE KEY----- s3cret -----END EC PRIVATE KEY----- end", "key ... end"},
  };
  for (const auto& [text, redacted] : cases) EXPECT_EQ(Redactor().Redact(text), redacted);
}

TEST(Redactor, LeavesWhatPeopleNeed) {
  for (const char* text : {
           "",
           "<html> <body>502 Bad Gateway, nginx/1.25.3</body></html>",
           "Unable to locate credentials. You can configure them by running \"aws configure\".",
           "open /etc/config/Plugin2/a-rather-long-name/credentials: no such file or directory",
           "dial tcp 10.0.0.1:443: i/o timeout (ip-10-0-0-1.eu-west-1.compute.internal)",
           "the token has expired; log in at https://login.example.com/device",
           "2026-01-01T00:00:00.123Z basic checks failed for web-7d9c5b8f6d-x2x4z",
       }) {
    EXPECT_EQ(Redactor().Redact(text), text);
  }
}

TEST(Redactor, HidesWhatItIsTold) {
  Redactor redactor;
  redactor.AddSecret("one\n two \n");
  redactor.AddSuspect(R"({"a": "suspect", "b": 7})");
  EXPECT_EQ(redactor.Redact("one, two, a suspect, b"), "..., ..., a ..., b");
}

TEST(Redactor, HidesAKeyOverItsLines) {
  Redactor redactor;
  EXPECT_EQ(redactor.Redact("here: -----BEGIN PRIVATE KEY-----"), "here: ...");
  EXPECT_EQ(redactor.Redact("short"), "...");
  EXPECT_EQ(redactor.Redact("-----END PRIVATE KEY----- done"), "... done");
  EXPECT_EQ(redactor.Redact("short"), "short");
}

}  // namespace
}  // namespace flyball::client
