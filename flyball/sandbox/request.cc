#include "flyball/sandbox/request.h"

#include <charconv>
#include <ranges>

namespace flyball::sandbox {
namespace {

int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::optional<std::string> Unescape(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] == '%') {
      const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Fills in what the parts behind the version say.
void ReadResource(RequestInfo& target, std::size_t at) {
  const auto& path = target.path;
  const auto part = [&](std::size_t i) { return i < path.size() ? path[i] : std::string(); };
  // A namespace is itself a resource; what is in it comes behind its name.
  if (part(at) == "namespaces" && path.size() > at + 2 && part(at + 2) != "status" &&
      part(at + 2) != "finalize") {
    target.namespace_ = part(at + 1);
    at += 2;
  }
  target.plural = part(at);
  target.name = part(at + 1);
  target.subresource = part(at + 2);
  target.resource = !target.plural.empty();
  // pods/x/proxy/a/b: what is behind the subresource is the subresource's.
}

}  // namespace

Query::Query(std::string_view text) {
  if (text.empty()) return;
  for (const auto pair : std::views::split(text, '&')) {
    const std::string_view parameter(pair.begin(), pair.end());
    const auto equals = parameter.find('=');
    auto name = Unescape(parameter.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::string()
                                                  : Unescape(parameter.substr(equals + 1), true);
    // As Go: what cannot be read is left out.
    if (name && value && !name->empty())
      parameters_.emplace_back(*std::move(name), *std::move(value));
  }
}

std::string_view Query::Get(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return {};
}

bool Query::Has(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return true;
  }
  return false;
}

bool Query::IsTrue(std::string_view name) const {
  const std::string_view value = Get(name);
  return Has(name) && value != "0" && value != "false";
}

StatusOr<std::optional<std::int64_t>> Query::Number(std::string_view name) const {
  const std::string_view text = Get(name);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return std::unexpected(BadRequest(
      "strconv.ParseInt: parsing \"" + std::string(text) + "\": " +
      (error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax")));
}

std::vector<std::string> Query::All(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& [key, value] : parameters_) {
    if (key == name) all.push_back(value);
  }
  return all;
}

std::string_view VerbOf(std::string_view method, const RequestInfo& target) {
  const bool one = !target.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (one) return "get";
    return target.query.IsTrue("watch") ? "watch" : "list";
  }
  if (method == "POST" && (!one || !target.subresource.empty())) return "create";
  if (method == "PUT" && one) return "update";
  if (method == "PATCH" && one) return "patch";
  if (method == "DELETE") return one ? "delete" : "deletecollection";
  return {};
}

StatusOr<RequestInfo> RequestInfo::Parse(std::string_view text) {
  RequestInfo target;
  const auto question = text.find('?');
  if (question != std::string_view::npos) target.query = Query(text.substr(question + 1));
  for (const auto part : std::views::split(text.substr(0, question), '/')) {
    auto unescaped = Unescape(std::string_view(part.begin(), part.end()), false);
    if (!unescaped) return std::unexpected(NoSuchResource());
    if (!unescaped->empty()) target.path.push_back(*std::move(unescaped));
  }
  const auto& path = target.path;
  if (path.size() >= 2 && path[0] == "api") {
    target.version = path[1];
    ReadResource(target, 2);
  } else if (path.size() >= 3 && path[0] == "apis") {
    target.group = path[1];
    target.version = path[2];
    ReadResource(target, 3);
  }
  return target;
}

}  // namespace flyball::sandbox
