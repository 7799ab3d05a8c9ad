#include "flyball/controllers/service_account_token/token_signer.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "flyball/api/base64.h"

namespace flyball::controllers::service_account_token {
namespace {

using api::Json;

/// Gives something of OpenSSL's back by its own function.
template <auto kFree>
struct FreeWith {
  template <typename T>
  void operator()(T* it) const {
    kFree(it);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, FreeWith<ECDSA_SIG_free>>;
struct FreeBytes {
  void operator()(void* bytes) const { OPENSSL_free(bytes); }
};

/// How a kind of key signs.
struct Algorithm {
  std::string_view name;
  const EVP_MD* (*digest)();
  int half = 0;  ///< of an ECDSA signature, in bytes; zero: it is RSA
};

/// The key of one PEM block; null if it is none.
KeyPtr KeyOf(std::string_view type, const unsigned char* bytes, long size) {
  const unsigned char* at = bytes;
  if (type == "EC PRIVATE KEY") return KeyPtr(d2i_PrivateKey(EVP_PKEY_EC, nullptr, &at, size));
  if (type == "RSA PRIVATE KEY") return KeyPtr(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, size));
  if (type != "PRIVATE KEY") return nullptr;
  const std::unique_ptr<PKCS8_PRIV_KEY_INFO, FreeWith<PKCS8_PRIV_KEY_INFO_free>> info(
      d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, size));
  return KeyPtr(info ? EVP_PKCS82PKEY(info.get()) : nullptr);
}

Result<KeyPtr> FindKey(std::string_view pem) {
  const BioPtr source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  char* type = nullptr;
  char* header = nullptr;
  unsigned char* bytes = nullptr;
  long size = 0;
  while (PEM_read_bio(source.get(), &type, &header, &bytes, &size) == 1) {
    const std::unique_ptr<char, FreeBytes> own_type(type);
    const std::unique_ptr<char, FreeBytes> own_header(header);
    const std::unique_ptr<unsigned char, FreeBytes> own_bytes(bytes);
    if (KeyPtr key = KeyOf(type, bytes, size)) return key;
  }
  return Fail(ErrorCode::kMalformed, "data does not contain a valid RSA or ECDSA private key");
}

Result<Algorithm> AlgorithmOf(const EVP_PKEY& key) {
  const int type = EVP_PKEY_get_base_id(&key);
  if (type == EVP_PKEY_RSA) return Algorithm{"RS256", EVP_sha256};
  if (type != EVP_PKEY_EC) {
    return Fail(ErrorCode::kUnsupported, "the private key is neither RSA nor ECDSA");
  }
  std::array<char, 64> name{};
  EVP_PKEY_get_group_name(&key, name.data(), name.size(), nullptr);
  const std::string_view curve = name.data();
  if (curve == "prime256v1") return Algorithm{"ES256", EVP_sha256, 32};
  if (curve == "secp384r1") return Algorithm{"ES384", EVP_sha384, 48};
  if (curve == "secp521r1") return Algorithm{"ES512", EVP_sha512, 66};
  return Fail(ErrorCode::kUnsupported, "unknown private key curve, must be 256, 384, or 521");
}

/// A hash, from which nobody gets the key itself.
std::string KeyIdOf(const EVP_PKEY& key) {
  unsigned char* bytes = nullptr;
  const int size = i2d_PUBKEY(&key, &bytes);
  const std::unique_ptr<unsigned char, FreeBytes> own_bytes(bytes);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned hash_size = 0;
  EVP_Digest(bytes, static_cast<std::size_t>(std::max(size, 0)), hash.data(), &hash_size,
             EVP_sha256(), nullptr);
  return api::EncodeBase64Url({reinterpret_cast<const char*>(hash.data()), hash_size});
}

/// The two numbers of an ECDSA signature one behind the other, each filled to its size, where
/// OpenSSL has them as ASN.1.
Result<std::string> Flatten(const std::vector<unsigned char>& signature, int half) {
  const unsigned char* at = signature.data();
  const SignaturePtr parsed(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(signature.size())));
  if (!parsed) return Fail(ErrorCode::kInternal, "cannot read a signature");
  std::vector<unsigned char> flat(static_cast<std::size_t>(half) * 2);
  BN_bn2binpad(ECDSA_SIG_get0_r(parsed.get()), flat.data(), half);
  BN_bn2binpad(ECDSA_SIG_get0_s(parsed.get()), flat.data() + half, half);
  return std::string(flat.begin(), flat.end());
}

class KeySigner final : public TokenSigner {
 public:
  KeySigner(KeyPtr key, Algorithm algorithm)
      : key_(std::move(key)), algorithm_(algorithm), key_id_(KeyIdOf(*key_)) {}

  Result<std::string> Sign(const Json& claims) const override {
    const Json header(Json::Object{{"alg", algorithm_.name}, {"kid", key_id_}});
    std::string token =
        api::EncodeBase64Url(header.ToString()) + "." + api::EncodeBase64Url(claims.ToString());
    FLYBALL_TRY(const std::string signature, Signature(token));
    return token + "." + api::EncodeBase64Url(signature);
  }
  const std::string& key_id() const override { return key_id_; }

 private:
  Result<std::string> Signature(std::string_view text) const {
    const DigestPtr digest(EVP_MD_CTX_new());
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (EVP_DigestSignInit(digest.get(), nullptr, algorithm_.digest(), nullptr, key_.get()) != 1 ||
        EVP_DigestSign(digest.get(), nullptr, &size, bytes, text.size()) != 1) {
      return Fail(ErrorCode::kInternal, "cannot sign with this key");
    }
    std::vector<unsigned char> signature(size);
    if (EVP_DigestSign(digest.get(), signature.data(), &size, bytes, text.size()) != 1) {
      return Fail(ErrorCode::kInternal, "cannot sign with this key");
    }
    signature.resize(size);
    if (algorithm_.half > 0) return Flatten(signature, algorithm_.half);
    return std::string(signature.begin(), signature.end());
  }

  const KeyPtr key_;
  const Algorithm algorithm_;
  const std::string key_id_;
};

}  // namespace

Result<std::shared_ptr<const TokenSigner>> TokenSigner::Create(std::string_view pem) {
  FLYBALL_TRY(KeyPtr key, FindKey(pem));
  FLYBALL_TRY(const Algorithm algorithm, AlgorithmOf(*key));
  return std::make_shared<const KeySigner>(std::move(key), algorithm);
}

}  // namespace flyball::controllers::service_account_token
