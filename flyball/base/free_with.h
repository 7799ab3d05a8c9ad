#pragma once

namespace flyball {

/// Has a unique_ptr free what belongs to a C library, by the function that the library has for it:
///   std::unique_ptr<BIO, FreeWith<BIO_free>>
template <auto kFree>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

}  // namespace flyball
