#pragma once

#include <cstdint>
#include <optional>

#include "flyball/sandbox/behaviour.h"

namespace flyball::sandbox {

/// The behaviour of a built-in kind, which sees its objects as what they are.
template <typename T>
class BehaviourFor : public Behaviour {
 public:
  void Complete(api::AnyObject& object) const final { Settle(As(object)); }
  Answered<> Admit(api::AnyObject& object, const Write& write) const final {
    return AdmitNew(As(object), write);
  }
  void Prepare(api::AnyObject& object, const Write& write) const final {
    PrepareNew(As(object), write);
  }
  FieldErrors Validate(const api::AnyObject& object, const Write& write) const final {
    return CheckNew(As(object), write);
  }
  Answered<> AdmitUpdate(api::AnyObject& now, const api::AnyObject& before,
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
  std::optional<std::int64_t> Grace(const api::AnyObject& object,
                                    std::optional<std::int64_t> asked) const final {
    return GraceOf(As(object), asked);
  }
  Answered<> AdmitDelete(const api::AnyObject& object, const Write& write) const final {
    return AdmitEnd(As(object), write);
  }
  Answered<std::optional<Deletion>> Delete(api::AnyObject& object,
                                           const meta::v1::DeleteOptions& options,
                                           const Write& write) const final {
    return End(As(object), options, write);
  }
  bool MayGo(const api::AnyObject& object) const final { return IsFree(As(object)); }

 protected:
  virtual void Settle(T&) const {}
  virtual Answered<> AdmitNew(T&, const Write&) const { return {}; }
  virtual void PrepareNew(T&, const Write&) const {}
  virtual FieldErrors CheckNew(const T&, const Write&) const { return {}; }
  virtual Answered<> AdmitChange(T& /*now*/, const T& /*before*/, const Write&) const { return {}; }
  virtual void PrepareChange(T& /*now*/, const T& /*before*/, const Write&) const {}
  virtual FieldErrors CheckChange(const T& /*now*/, const T& /*before*/, const Write&) const {
    return {};
  }
  virtual std::optional<std::int64_t> GraceOf(const T&,
                                              std::optional<std::int64_t> /*asked*/) const {
    return std::nullopt;
  }
  virtual Answered<> AdmitEnd(const T&, const Write&) const { return {}; }
  virtual Answered<std::optional<Deletion>> End(T&, const meta::v1::DeleteOptions&,
                                                const Write&) const {
    return std::nullopt;
  }
  virtual bool IsFree(const T&) const { return true; }

 private:
  static T& As(api::AnyObject& object) { return *static_cast<T*>(object.get()); }
  static const T& As(const api::AnyObject& object) { return *static_cast<const T*>(object.get()); }
};

}  // namespace flyball::sandbox
