#include "flyball/client/internal/redaction.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "flyball/client/internal/header_text.h"

namespace flyball::client {
namespace {

constexpr std::string_view kHidden = "...";
/// Between words, in prose, shell, JSON, HTML and queries.
constexpr std::string_view kBetween = " \t\r\n\v\f\"'`<>()[]{},;?&|";

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool Has(std::string_view word, int (*kind)(int)) {
  return std::ranges::any_of(word, [=](unsigned char c) { return kind(c) != 0; });
}
bool IsAll(std::string_view word, int (*kind)(int)) {
  return std::ranges::all_of(word, [=](unsigned char c) { return kind(c) != 0; });
}

/// "abcdef.0123456789abcdef", as kubeadm gives out.
bool IsBootstrapToken(std::string_view word) {
  return word.size() == 23 && word[6] == '.' && IsAll(word.substr(0, 6), std::isalnum) &&
         IsAll(word.substr(7), std::isalnum);
}

/// Tokens and keys are long, and mixed as no name or sentence is.
bool LooksRandom(std::string_view word) {
  if (word.starts_with('/') || word.starts_with("./") || word.starts_with('~')) return false;
  if (word.find("://") != std::string_view::npos) return false;
  if (IsBootstrapToken(word)) return true;
  if (!Has(word, std::isdigit)) return false;
  if (word.size() >= 32 && IsAll(word, std::isxdigit)) return true;
  return word.size() >= 20 && Has(word, std::islower) && Has(word, std::isupper);
}

/// The part of "https://user:password@host" that no one needs to know.
void HideUserOfUrl(std::string& word) {
  const auto scheme = word.find("://");
  if (scheme == std::string::npos) return;
  const auto begin = scheme + 3;
  const auto at = std::string_view(word).substr(0, word.find('/', begin)).rfind('@');
  if (at != std::string_view::npos && at > begin) word.replace(begin, at - begin, kHidden);
}

/// Goes through the words of a line, some of which say what follows them.
class WordRedactor {
 public:
  std::string Redact(std::string_view line) {
    std::string redacted;
    while (!line.empty()) {
      const auto begin = std::min(line.find_first_not_of(kBetween), line.size());
      redacted += line.substr(0, begin);
      line.remove_prefix(begin);
      const auto end = std::min(line.find_first_of(kBetween), line.size());
      if (end > 0) redacted += Word(line.substr(0, end));
      line.remove_prefix(end);
    }
    return redacted;
  }

 private:
  enum class Next : std::uint8_t { kAnything, kSeparatorOfSecret, kSecret };

  std::string Word(std::string_view word) {
    if (word == ":" || word == "=") {
      if (next_ == Next::kSeparatorOfSecret) next_ = Next::kSecret;
      return std::string(word);
    }
    const std::string lower = ToLower(word);
    if (lower == "bearer" || (lower == "basic" && next_ == Next::kSecret)) {
      next_ = Next::kSecret;
      return std::string(word);
    }
    if (std::exchange(next_, Next::kAnything) == Next::kSecret) return std::string(kHidden);
    const auto separator = std::min(word.find_first_of(":="), word.size());
    if (Redactor::IsSecretName(word.substr(0, separator))) return NameOfSecret(word, separator);
    const std::string_view value = word.substr(std::min(separator + 1, word.size()));
    if (LooksRandom(value)) return std::string(word.substr(0, separator + 1)).append(kHidden);
    if (LooksRandom(word)) return std::string(kHidden);
    std::string shown(word);
    HideUserOfUrl(shown);
    return shown;
  }

  /// "password", "password:" or "password=value".
  std::string NameOfSecret(std::string_view word, std::size_t separator) {
    if (separator == word.size()) next_ = Next::kSeparatorOfSecret;
    if (separator + 1 == word.size()) next_ = Next::kSecret;
    if (separator + 1 >= word.size()) return std::string(word);
    return std::string(word.substr(0, separator + 1)).append(kHidden);
  }

  Next next_ = Next::kAnything;
};

void HideAll(std::string_view secret, std::string& text) {
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), kHidden);
    at += kHidden.size();
  }
}

/// Hides PEM, of which a line may have the beginning, the end, both or just a part.
void HidePem(std::string& text, bool& inside) {
  constexpr std::string_view kBegin = "-----BEGIN";
  constexpr std::string_view kEnd = "-----END";
  constexpr std::string_view kDashes = "-----";
  for (std::size_t from = 0;;) {
    const auto begin = inside ? from : text.find(kBegin, from);
    if (begin == std::string::npos) return;
    const auto end = text.find(kEnd, begin);
    inside = end == std::string::npos;
    auto stop = inside ? end : text.find(kDashes, end + kEnd.size());
    if (stop != std::string::npos) stop += kDashes.size();
    text.replace(begin, std::min(stop, text.size()) - begin, kHidden);
    if (inside) return;
    from = begin + kHidden.size();
  }
}

}  // namespace

bool Redactor::IsSecretName(std::string_view name) {
  std::string plain = ToLower(name);
  std::erase_if(plain, [](char c) { return c == '-' || c == '_' || c == '.'; });
  constexpr std::string_view kNames[] = {"token",         "password", "passwd",    "secret",
                                         "authorization", "apikey",   "accesskey", "privatekey",
                                         "clientkey",     "keydata"};
  return std::ranges::any_of(kNames,
                             [&](auto known) { return plain.find(known) != std::string::npos; });
}

void Redactor::AddSecret(std::string_view secret) {
  while (!secret.empty()) {
    const auto end = std::min(secret.find('\n'), secret.size());
    if (const auto line = TrimSpace(secret.substr(0, end)); !line.empty()) {
      secrets_.emplace_back(line);
    }
    secret.remove_prefix(std::min(end + 1, secret.size()));
  }
}

void Redactor::AddSuspect(std::string_view text) {
  constexpr std::size_t kShort = 6;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.~+/").find(c) != std::string_view::npos;
  };
  while (!text.empty()) {
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
    if (end >= kShort) secrets_.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string Redactor::Redact(std::string_view line) {
  std::string text(line);
  HidePem(text, inside_key_);
  for (const std::string& secret : secrets_) HideAll(secret, text);
  return WordRedactor().Redact(text);
}

}  // namespace flyball::client
