#pragma once

#include <memory>

namespace flyball::serving {

/// Calls OpenSSL's own function to give an object back.
template <auto kFree>
struct OpensslFree {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

template <typename T, auto kFree>
using OpensslPointer = std::unique_ptr<T, OpensslFree<kFree>>;

}  // namespace flyball::serving
