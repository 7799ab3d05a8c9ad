#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"

namespace flyball {

/// An object of the cluster in a log line: "kube-system/dns" as text, {"name":..,"namespace":..}
/// in JSON, as Kubernetes' own components write it.
struct LogObject {
  std::string_view namespace_ = {};  ///< empty for what has none
  std::string_view name = {};
};

/// An object of any kind, with its kind and uid, as Kubernetes' garbage collector logs it:
/// "[v1/Pod, namespace: shop, name: web, uid: 1]" as text,
/// {"name":..,"namespace":..,"apiVersion":..,"uid":..} in JSON.
struct LogReference {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view namespace_ = {};  ///< empty for what has none
  std::string_view name = {};
  std::string_view uid = {};
};

/// A type of any folder becomes loggable by one of these beside it:
///   std::string ToString(const ObjectKey&);    // or std::string_view
///   LogObject ToLogValue(const ObjectKey&);    // or anything else a LogValue takes
template <typename T>
concept HasToLogValue = requires(const T& value) { ToLogValue(value); };
template <typename T>
concept HasToString = requires(const T& value) {
  { ToString(value) } -> std::convertible_to<std::string_view>;
};

/// What a log line says of a key. Borrows strings and lists, so it lives no longer than the call.
class LogValue {
 public:
  using Any = std::variant<bool, std::int64_t, std::uint64_t, double, std::string_view, std::string,
                           std::span<const std::string>, std::chrono::nanoseconds, WallTime,
                           LogObject, LogReference>;

  // NOLINTBEGIN(google-explicit-constructor): a field is written {"replicas", 3}.
  LogValue(bool value) : any_(value) {}
  template <std::integral T>
  LogValue(T value) : any_(Widen(value)) {}
  template <std::floating_point T>
  LogValue(T value) : any_(static_cast<double>(value)) {}
  LogValue(const char* value) : any_(std::string_view(value)) {}
  LogValue(std::string_view value) : any_(value) {}
  LogValue(const std::string& value) : any_(std::string_view(value)) {}
  LogValue(std::string&& value) : any_(std::move(value)) {}
  LogValue(const std::vector<std::string>& value) : any_(std::span(value)) {}
  template <typename Rep, typename Period>
  LogValue(std::chrono::duration<Rep, Period> value)
      : any_(std::chrono::duration_cast<std::chrono::nanoseconds>(value)) {}
  template <typename Duration>
  LogValue(std::chrono::sys_time<Duration> value) : any_(WallTime(value)) {}
  LogValue(LogObject value) : any_(value) {}
  LogValue(LogReference value) : any_(value) {}
  LogValue(const Error& value) : any_(value.Describe()) {}
  template <HasToLogValue T>
  LogValue(const T& value) : LogValue(ToLogValue(value)) {}
  template <typename T>
    requires(HasToString<T> && !HasToLogValue<T>)
  LogValue(const T& value) : any_(std::string(ToString(value))) {}
  // NOLINTEND(google-explicit-constructor)

  const Any& any() const { return any_; }

 private:
  template <typename T>
  static auto Widen(T value) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<std::int64_t>(value);
    } else {
      return static_cast<std::uint64_t>(value);
    }
  }

  Any any_;
};

/// One key of a log line and its value. Keys are lowerCamelCase words: they are not escaped.
struct LogField {
  std::string_view key;
  LogValue value;
};

/// What the calls take: `{{"deployment", key}, {"replicas", 3}}`.
using LogFields = std::initializer_list<LogField>;

}  // namespace flyball
