#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flyball::client {

/// Takes what is secret, or looks like it, out of texts that others wrote and that are to go into a
/// log or an error: what a credential plugin writes to standard error, a page that a proxy answers
/// with. It guesses, and would rather hide a word too many: what follows "Bearer" or "password=",
/// private keys, and words that look like nothing a person would write. One thread at a time.
class Redactor {
 public:
  /// This is secret: of a text with several lines, such as a key, each of them.
  void AddSecret(std::string_view secret);
  /// Words of this may be secret: of an answer that could not be read. All but short ones are
  /// hidden.
  void AddSuspect(std::string_view text);

  /// A line with "..." for what is hidden. Lines of a text are to be given in order, since a key
  /// goes over several.
  std::string Redact(std::string_view line);

  /// Whether a name is that of a secret: "DB_PASSWORD", "id-token".
  static bool IsSecretName(std::string_view name);

 private:
  std::vector<std::string> secrets_;
  bool inside_key_ = false;
};

}  // namespace flyball::client
