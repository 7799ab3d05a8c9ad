#include "flyball/sandbox/kinds/tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "flyball/api/base64.h"
#include "flyball/api/json.h"
#include "flyball/base/check.h"

namespace flyball::sandbox {
namespace {

using api::Json;

constexpr std::string_view kHeader = R"({"alg":"HS256","typ":"JWT"})";

Json NamedPart(const std::string& name, const std::string& uid) {
  Json::Object part;
  part["name"] = name;
  part["uid"] = uid;
  return part;
}

std::string Text(const Json* json) {
  const auto* const text = json == nullptr ? nullptr : json->If<std::string>();
  return text == nullptr ? std::string() : *text;
}

std::int64_t Number(const Json* json) {
  if (json == nullptr) return 0;
  const std::string text = json->ToString();
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Whether what a token is bound to is still there.
bool IsThere(const TokenIssuer::BoundObject& bound, const std::string& namespace_,
             const StrategyContext& context) {
  const bool node = bound.kind == "Node";
  const std::string_view collection = node ? "nodes" : bound.kind == "Pod" ? "pods" : "secrets";
  const RecordPtr record = context.Find(collection, node ? "" : namespace_, bound.name);
  return record && record->uid() == bound.uid;
}

/// What is known of a token besides whose it is.
std::map<std::string, std::vector<std::string>> ExtraOf(const TokenIssuer::Claims& claims) {
  const std::string prefix = "authentication.kubernetes.io/";
  std::map<std::string, std::vector<std::string>> extra;
  if (!claims.id.empty()) extra[prefix + "credential-id"] = {"JTI=" + claims.id};
  if (!claims.bound || claims.bound->kind == "Secret") return extra;
  const std::string bound = prefix + (claims.bound->kind == "Pod" ? "pod" : "node");
  extra[bound + "-name"] = {claims.bound->name};
  extra[bound + "-uid"] = {claims.bound->uid};
  return extra;
}

}  // namespace

TokenIssuer::TokenIssuer(const api::RandomBits& random) {
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t bits = random();
    for (int shift = 0; shift < 64; shift += 8) key_ += static_cast<char>(bits >> shift);
  }
}

std::string TokenIssuer::SignatureOf(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* const made =
      HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  FLYBALL_CHECK(made != nullptr, "HMAC");
  return api::EncodeBase64Url({reinterpret_cast<const char*>(digest.data()), size});
}

std::string TokenIssuer::Sign(const Claims& claims) const {
  Json::Object own;
  own["namespace"] = claims.namespace_;
  own["serviceaccount"] = NamedPart(claims.account, claims.account_uid);
  if (claims.bound) {
    std::string part = claims.bound->kind;
    std::ranges::transform(part, part.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    own[part] = NamedPart(claims.bound->name, claims.bound->uid);
  }
  Json::Array audiences;
  for (const std::string& audience : claims.audiences) audiences.emplace_back(audience);
  Json::Object all;
  all["aud"] = std::move(audiences);
  all["exp"] = claims.expires;
  all["iat"] = claims.issued;
  all["nbf"] = claims.issued;
  all["iss"] = std::string(kServerAudience);
  all["jti"] = claims.id;
  all["kubernetes.io"] = std::move(own);
  all["sub"] = "system:serviceaccount:" + claims.namespace_ + ":" + claims.account;
  const std::string text =
      api::EncodeBase64Url(kHeader) + "." + api::EncodeBase64Url(Json(std::move(all)).ToString());
  return text + "." + SignatureOf(text);
}

std::optional<TokenIssuer::Claims> TokenIssuer::Read(std::string_view token) const {
  const auto last = token.rfind('.');
  const auto first = token.find('.');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string wanted = SignatureOf(token.substr(0, last));
  const std::string_view signature = token.substr(last + 1);
  if (signature.size() != wanted.size() ||
      CRYPTO_memcmp(signature.data(), wanted.data(), wanted.size()) != 0) {
    return std::nullopt;
  }
  const auto text = api::DecodeBase64Url(token.substr(first + 1, last - first - 1));
  if (!text) return std::nullopt;
  const auto json = Json::Parse(*text);
  if (!json) return std::nullopt;
  const Json* const own = json->Find("kubernetes.io");
  if (own == nullptr) return std::nullopt;
  Claims claims;
  claims.namespace_ = Text(own->Find("namespace"));
  if (const Json* const account = own->Find("serviceaccount")) {
    claims.account = Text(account->Find("name"));
    claims.account_uid = Text(account->Find("uid"));
  }
  for (const auto& [part, kind] :
       {std::pair("pod", "Pod"), {"node", "Node"}, {"secret", "Secret"}}) {
    const Json* const bound = own->Find(part);
    if (bound == nullptr) continue;
    claims.bound = BoundObject{kind, Text(bound->Find("name")), Text(bound->Find("uid"))};
  }
  if (const Json* const audiences = json->Find("aud")) {
    if (const auto* const list = audiences->If<Json::Array>()) {
      for (const Json& each : *list) claims.audiences.push_back(Text(&each));
    }
  }
  claims.issued = Number(json->Find("iat"));
  claims.expires = Number(json->Find("exp"));
  claims.id = Text(json->Find("jti"));
  return claims;
}

std::optional<User> TokenIssuer::Verify(std::string_view token, const StrategyContext& context,
                                        const std::vector<std::string>& audiences) const {
  const auto claims = Read(token);
  if (!claims || claims->expires <= api::Time(context.Now()).unix_seconds()) return std::nullopt;
  const RecordPtr account = context.Find("serviceaccounts", claims->namespace_, claims->account);
  if (!account || account->uid() != claims->account_uid) return std::nullopt;
  if (claims->bound && !IsThere(*claims->bound, claims->namespace_, context)) return std::nullopt;
  const auto is_for = [&](const std::string& audience) {
    return std::ranges::find(claims->audiences, audience) != claims->audiences.end();
  };
  if (!std::ranges::any_of(audiences, is_for)) return std::nullopt;
  User user;
  user.name = "system:serviceaccount:" + claims->namespace_ + ":" + claims->account;
  user.uid = claims->account_uid;
  user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + claims->namespace_,
                 "system:authenticated"};
  user.extra = ExtraOf(*claims);
  return user;
}

}  // namespace flyball::sandbox
