#pragma once

#include <utility>

namespace flyball::api {

/// The part of a Box that needs no type: one owning pointer, so that a codec that knows the struct
/// only by its table can look inside.
class BoxBase {
 public:
  const void* address() const { return value_; }

 protected:
  void* value_ = nullptr;
};

/// An optional struct that lives on the heap: one pointer wide when absent, which most optional
/// parts of an object are. Copies copy the value; used like std::optional.
template <typename T>
class Box : public BoxBase {
 public:
  Box() = default;
  Box(const T& value) { value_ = new T(value); }
  Box(T&& value) { value_ = new T(std::move(value)); }
  Box(const Box& other) {
    if (other) value_ = new T(*other);
  }
  Box(Box&& other) noexcept { std::swap(value_, other.value_); }
  Box& operator=(Box other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Box() { delete get(); }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }

  /// A fresh value in place of what was there.
  T& emplace() {
    reset();
    value_ = new T();
    return *get();
  }
  /// What is there, or a fresh value where nothing was.
  T& get_or_emplace() { return value_ ? *get() : emplace(); }
  void reset() {
    delete get();
    value_ = nullptr;
  }

  friend bool operator==(const Box& a, const Box& b) {
    return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
  }

 private:
  T* get() { return static_cast<T*>(value_); }
  const T* get() const { return static_cast<const T*>(value_); }
};

}  // namespace flyball::api
