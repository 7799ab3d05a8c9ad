#include "flyball/controllers/service_account_token/token_signer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/base64.h"

namespace flyball::controllers::service_account_token {
namespace {

using api::Json;
using KeyPtr = std::shared_ptr<EVP_PKEY>;

KeyPtr Own(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

enum class Form { kPkcs8, kTraditional };

std::string PemOf(const KeyPtr& key, Form form) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  if (form == Form::kPkcs8) {
    PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  } else {
    PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                         nullptr);
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

/// The three parts of a token, decoded.
struct Parts {
  std::string header, claims, signature;
  std::string signed_text;

  explicit Parts(const std::string& token) {
    const auto first = token.find('.');
    const auto second = token.find('.', first + 1);
    header = api::DecodeBase64Url(token.substr(0, first)).value();
    claims = api::DecodeBase64Url(token.substr(first + 1, second - first - 1)).value();
    signature = api::DecodeBase64Url(token.substr(second + 1)).value();
    signed_text = token.substr(0, second);
  }
};

/// A signature as OpenSSL takes it: of ECDSA the two numbers as ASN.1.
std::string AsAsn1(const std::string& flat) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(flat.data());
  const int half = static_cast<int>(flat.size() / 2);
  ECDSA_SIG* const signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, BN_bin2bn(bytes, half, nullptr),
                 BN_bin2bn(bytes + half, half, nullptr));
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(signature, &encoded);
  std::string text(reinterpret_cast<char*>(encoded), static_cast<std::size_t>(size));
  OPENSSL_free(encoded);
  ECDSA_SIG_free(signature);
  return text;
}

bool Verifies(const KeyPtr& key, const EVP_MD* digest, const std::string& text,
              const std::string& signature) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key.get());
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

const Json kClaims = Json::Object{{"sub", "system:serviceaccount:ns:name"}, {"iss", "us"}};

TEST(TokenSigner, SignsWithRsaInBothForms) {
  const KeyPtr key = Own(EVP_RSA_gen(2048));
  for (const Form form : {Form::kPkcs8, Form::kTraditional}) {
    const auto signer = TokenSigner::Create(PemOf(key, form));
    ASSERT_TRUE(signer) << signer.error().Describe();
    const Parts parts((*signer)->Sign(kClaims).value());
    EXPECT_EQ(parts.header, R"({"alg":"RS256","kid":")" + (*signer)->key_id() + R"("})");
    EXPECT_EQ(parts.claims, R"({"iss":"us","sub":"system:serviceaccount:ns:name"})");
    EXPECT_TRUE(Verifies(key, EVP_sha256(), parts.signed_text, parts.signature));
  }
}

TEST(TokenSigner, SignsWithEllipticCurvesByTheirSize) {
  struct Case {
    const char* curve;
    std::string algorithm;
    const EVP_MD* digest;
    std::size_t size;
  };
  for (const Case& at :
       {Case{"P-256", "ES256", EVP_sha256(), 64}, Case{"P-384", "ES384", EVP_sha384(), 96},
        Case{"P-521", "ES512", EVP_sha512(), 132}}) {
    const KeyPtr key = Own(EVP_EC_gen(at.curve));
    for (const Form form : {Form::kPkcs8, Form::kTraditional}) {
      const auto signer = TokenSigner::Create(PemOf(key, form));
      ASSERT_TRUE(signer) << signer.error().Describe();
      const Parts parts((*signer)->Sign(kClaims).value());
      EXPECT_EQ(parts.header,
                R"({"alg":")" + at.algorithm + R"(","kid":")" + (*signer)->key_id() + R"("})");
      EXPECT_EQ(parts.signature.size(), at.size);
      EXPECT_TRUE(Verifies(key, at.digest, parts.signed_text, AsAsn1(parts.signature)));
    }
  }
}

// A key of this test's, with what `openssl ecparam -genkey` puts before it.
constexpr const char* kKey =
    "-----BEGIN EC PARAMETERS-----\n"
    "BggqhkjOPQMBBw==\n"
    "-----END EC PARAMETERS-----\n"
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEICTbXeVSv3xxaAlMS1pRDvyvzXEJAu/feKFqPnKASgj5oAoGCCqGSM49\n"
    "AwEHoUQDQgAER8UZLURWJE4+jR/K79oKoODprursFFKLWs7XdV8wT0nNZlec4M0c\n"
    "mRgFu8mfAhlNmm2b9HZol5OBBya9vdaxHA==\n"
    "-----END EC PRIVATE KEY-----\n";

TEST(TokenSigner, NamesTheKeyByTheHashOfItsPublicHalfAndPassesOverOtherBlocks) {
  const auto signer = TokenSigner::Create(kKey);
  ASSERT_TRUE(signer) << signer.error().Describe();
  EXPECT_EQ((*signer)->key_id(), "gUFGaWrIhxjwbo628QfctTpd18Igi5O5zoVexIZDcjI");
}

TEST(TokenSigner, RefusesWhatItCannotSignWith) {
  const auto message = [](const std::string& pem) {
    return TokenSigner::Create(pem).error().message();
  };
  constexpr const char* kNone = "data does not contain a valid RSA or ECDSA private key";
  EXPECT_EQ(message(""), kNone);
  EXPECT_EQ(message("no PEM"), kNone);
  EXPECT_EQ(message("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), kNone);
  EXPECT_EQ(message(std::string(kKey).substr(0, 200)), kNone);
  EXPECT_EQ(message(PemOf(Own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")), Form::kPkcs8)),
            "the private key is neither RSA nor ECDSA");
  EXPECT_EQ(message(PemOf(Own(EVP_EC_gen("secp256k1")), Form::kPkcs8)),
            "unknown private key curve, must be 256, 384, or 521");
}

}  // namespace
}  // namespace flyball::controllers::service_account_token
