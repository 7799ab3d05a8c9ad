#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/quantity.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"

/// What a flag can hold. The type of a member decides how its flag is read and shown: there is a
/// FlagValue for each, with
///   kType                     the name it has in --help
///   Set(member, text, again)  reads a value; lists grow when they are set `again`
///   Text(member)              what /flagz and the defaults in --help show
namespace flyball::manager::flags {

template <typename T>
struct FlagValue;

/// An IPv4 or IPv6 address in the form in which it is usually written.
struct IpAddress {
  std::string text = {};
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// "cert.pem,key.pem:example.org,*.example.org".
struct NamedCertificate {
  std::string certificate_file = {};
  std::string key_file = {};
  std::vector<std::string> names = {};  ///< empty: those in the certificate
  friend bool operator==(const NamedCertificate&, const NamedCertificate&) = default;
};

/// -v.
struct Verbosity {
  int level = 0;
  friend bool operator==(const Verbosity&, const Verbosity&) = default;
};

/// --version: "false", "true", "raw", or the version to pretend to be.
struct VersionRequest {
  std::string text = "false";
  friend bool operator==(const VersionRequest&, const VersionRequest&) = default;
};

/// "a:x,b:y,a:z" is {a: [x, z], b: [y]}. What has no colon is under "".
using Multimap = std::map<std::string, std::vector<std::string>>;

template <>
struct FlagValue<bool> {
  static constexpr std::string_view kType = "bool";
  static Result<> Set(bool& member, std::string_view text, bool again);
  static std::string Text(bool member) { return member ? "true" : "false"; }
};

template <>
struct FlagValue<std::string> {
  static constexpr std::string_view kType = "string";
  static Result<> Set(std::string& member, std::string_view text, bool again);
  static std::string Text(const std::string& member) { return member; }
};

template <>
struct FlagValue<std::int32_t> {
  static constexpr std::string_view kType = "int32";
  static Result<> Set(std::int32_t& member, std::string_view text, bool again);
  static std::string Text(std::int32_t member) { return std::to_string(member); }
};

/// Go's int.
template <>
struct FlagValue<std::int64_t> {
  static constexpr std::string_view kType = "int";
  static Result<> Set(std::int64_t& member, std::string_view text, bool again);
  static std::string Text(std::int64_t member) { return std::to_string(member); }
};

template <>
struct FlagValue<float> {
  static constexpr std::string_view kType = "float32";
  static Result<> Set(float& member, std::string_view text, bool again);
  static std::string Text(float member);
};

template <>
struct FlagValue<double> {
  static constexpr std::string_view kType = "float";
  static Result<> Set(double& member, std::string_view text, bool again);
  static std::string Text(double member);
};

template <>
struct FlagValue<std::chrono::nanoseconds> {
  static constexpr std::string_view kType = "duration";
  static Result<> Set(std::chrono::nanoseconds& member, std::string_view text, bool again);
  static std::string Text(std::chrono::nanoseconds member);
};

template <>
struct FlagValue<std::vector<std::string>> {
  static constexpr std::string_view kType = "strings";
  static Result<> Set(std::vector<std::string>& member, std::string_view text, bool again);
  static std::string Text(const std::vector<std::string>& member);
};

template <>
struct FlagValue<std::vector<std::int32_t>> {
  static constexpr std::string_view kType = "int32Slice";
  static Result<> Set(std::vector<std::int32_t>& member, std::string_view text, bool again);
  static std::string Text(const std::vector<std::int32_t>& member);
};

template <>
struct FlagValue<std::map<std::string, std::string>> {
  static constexpr std::string_view kType = "stringToString";
  static Result<> Set(std::map<std::string, std::string>& member, std::string_view text,
                      bool again);
  static std::string Text(const std::map<std::string, std::string>& member);
};

template <>
struct FlagValue<Multimap> {
  static constexpr std::string_view kType = "colonSeparatedMultimapStringString";
  static Result<> Set(Multimap& member, std::string_view text, bool again);
  static std::string Text(const Multimap& member);
};

template <>
struct FlagValue<IpAddress> {
  static constexpr std::string_view kType = "ip";
  static Result<> Set(IpAddress& member, std::string_view text, bool again);
  static std::string Text(const IpAddress& member) { return member.text; }
};

template <>
struct FlagValue<std::vector<NamedCertificate>> {
  static constexpr std::string_view kType = "namedCertKey";
  static Result<> Set(std::vector<NamedCertificate>& member, std::string_view text, bool again);
  static std::string Text(const std::vector<NamedCertificate>& member);
};

template <>
struct FlagValue<api::Quantity> {
  static constexpr std::string_view kType = "quantity";
  static Result<> Set(api::Quantity& member, std::string_view text, bool again);
  static std::string Text(const api::Quantity& member) { return member.ToString(); }
};

template <>
struct FlagValue<Verbosity> {
  static constexpr std::string_view kType = "Level";
  static Result<> Set(Verbosity& member, std::string_view text, bool again);
  static std::string Text(Verbosity member) { return std::to_string(member.level); }
};

template <>
struct FlagValue<std::vector<LogModule>> {
  static constexpr std::string_view kType = "pattern=N,...";
  static Result<> Set(std::vector<LogModule>& member, std::string_view text, bool again);
  static std::string Text(const std::vector<LogModule>& member);
};

template <>
struct FlagValue<VersionRequest> {
  static constexpr std::string_view kType = "version";
  static Result<> Set(VersionRequest& member, std::string_view text, bool again);
  static std::string Text(const VersionRequest& member) { return member.text; }
};

}  // namespace flyball::manager::flags
