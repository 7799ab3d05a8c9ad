#pragma once

#include <cstdint>
#include <optional>

#include "flyball/sandbox/rest_strategy.h"

namespace flyball::sandbox {

/// The strategy of a built-in kind, with its objects' C++ type.
template <typename T>
class StrategyFor : public RestStrategy {
 public:
  void ApplyLinkedDefaults(api::AnyObject& object) const final { Settle(As(object)); }
  StatusOr<> Admit(api::AnyObject& object, const Write& write) const final {
    return AdmitNew(As(object), write);
  }
  void Prepare(api::AnyObject& object, const Write& write) const final {
    PrepareNew(As(object), write);
  }
  FieldErrors Validate(const api::AnyObject& object, const Write& write) const final {
    return CheckNew(As(object), write);
  }
  StatusOr<> AdmitUpdate(api::AnyObject& now, const api::AnyObject& before,
                         const Write& write) const final {
    return AdmitChange(As(now), As(before), write);
  }
  void PrepareUpdate(api::AnyObject& now, const api::AnyObject& before,
                     const Write& write) const final {
    PrepareChange(As(now), As(before), write);
  }
  FieldErrors ValidateUpdate(const api::AnyObject& now, const api::AnyObject& before,
                             const Write& write) const final {
    return CheckChange(As(now), As(before), write);
  }
  std::optional<std::int64_t> GracePeriod(const api::AnyObject& object,
                                          std::optional<std::int64_t> asked) const final {
    return GracePeriodOf(As(object), asked);
  }
  StatusOr<> AdmitDelete(const api::AnyObject& object, const Write& write) const final {
    return AdmitEnd(As(object), write);
  }
  StatusOr<std::optional<Deletion>> Delete(api::AnyObject& object,
                                           const meta::v1::DeleteOptions& options,
                                           const Write& write) const final {
    return End(As(object), options, write);
  }
  bool MayBeRemoved(const api::AnyObject& object) const final { return IsFree(As(object)); }

 protected:
  virtual void Settle(T&) const {}
  virtual StatusOr<> AdmitNew(T&, const Write&) const { return {}; }
  virtual void PrepareNew(T&, const Write&) const {}
  virtual FieldErrors CheckNew(const T&, const Write&) const { return {}; }
  virtual StatusOr<> AdmitChange(T& /*now*/, const T& /*before*/, const Write&) const { return {}; }
  virtual void PrepareChange(T& /*now*/, const T& /*before*/, const Write&) const {}
  virtual FieldErrors CheckChange(const T& /*now*/, const T& /*before*/, const Write&) const {
    return {};
  }
  virtual std::optional<std::int64_t> GracePeriodOf(const T&,
                                                    std::optional<std::int64_t> /*asked*/) const {
    return std::nullopt;
  }
  virtual StatusOr<> AdmitEnd(const T&, const Write&) const { return {}; }
  virtual StatusOr<std::optional<Deletion>> End(T&, const meta::v1::DeleteOptions&,
                                                const Write&) const {
    return std::nullopt;
  }
  virtual bool IsFree(const T&) const { return true; }

 private:
  static T& As(api::AnyObject& object) { return *static_cast<T*>(object.get()); }
  static const T& As(const api::AnyObject& object) { return *static_cast<const T*>(object.get()); }
};

}  // namespace flyball::sandbox
