#include <string>
#include <type_traits>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

void CheckSubject(const rbac::v1::Subject& subject, bool namespaced, const std::string& path,
                  FieldErrors& errors) {
  if (subject.kind == "ServiceAccount") {
    if (!subject.apiGroup.empty()) {
      errors.push_back(FieldError::NotSupported(path + ".apiGroup", subject.apiGroup, {""}));
    }
    if (!namespaced && subject.namespace_.empty()) {
      errors.push_back(FieldError::Required(path + ".namespace", ""));
    }
  } else if (subject.kind == "User" || subject.kind == "Group") {
    if (subject.apiGroup != kGroup) {
      errors.push_back(FieldError::NotSupported(path + ".apiGroup", subject.apiGroup, {kGroup}));
    }
  } else {
    errors.push_back(FieldError::NotSupported(path + ".kind", subject.kind,
                                              {"ServiceAccount", "User", "Group"}));
  }
}

template <typename Binding, bool kNamespaced>
class BindingKind final : public StrategyFor<Binding> {
  NameRule names() const override { return NameRule::kPathSegment; }

  FieldErrors CheckNew(const Binding& binding, const Write&) const override {
    FieldErrors errors;
    const auto& role = binding.roleRef;
    if (role.apiGroup != kGroup) {
      errors.push_back(FieldError::NotSupported("roleRef.apiGroup", role.apiGroup, {kGroup}));
    }
    if (kNamespaced && role.kind != "Role" && role.kind != "ClusterRole") {
      errors.push_back(
          FieldError::NotSupported("roleRef.kind", role.kind, {"Role", "ClusterRole"}));
    } else if (!kNamespaced && role.kind != "ClusterRole") {
      errors.push_back(FieldError::NotSupported("roleRef.kind", role.kind, {"ClusterRole"}));
    }
    for (std::size_t i = 0; i < binding.subjects.size(); ++i) {
      CheckSubject(binding.subjects[i], kNamespaced, At("subjects", i), errors);
    }
    // PARITY: what upstream declares is checked behind what it programs.
    for (std::size_t i = 0; i < binding.subjects.size(); ++i) {
      if (!binding.subjects[i].name.empty()) continue;
      errors.push_back(FieldError::Required(At("subjects", i) + ".name", ""));
    }
    if (role.name.empty()) errors.push_back(FieldError::Required("roleRef.name", ""));
    return errors;
  }

  FieldErrors CheckChange(const Binding& now, const Binding& before,
                          const Write& write) const override {
    FieldErrors errors = CheckNew(now, write);
    if (now.roleRef != before.roleRef) {
      // PARITY: upstream shows its internal type, whose members are called otherwise.
      errors.push_back({FieldError::Kind::kInvalid, "roleRef",
                        "{\"APIGroup\":\"" + now.roleRef.apiGroup + "\",\"Kind\":\"" +
                            now.roleRef.kind + "\",\"Name\":\"" + now.roleRef.name + "\"}",
                        "field is immutable"});
    }
    return errors;
  }
};

template <typename Role>
class RoleKind final : public StrategyFor<Role> {
  NameRule names() const override { return NameRule::kPathSegment; }

  static void CheckUrls(const rbac::v1::PolicyRule& rule, const std::string& at,
                        FieldErrors& errors) {
    const bool namespaced = std::is_same_v<Role, rbac::v1::Role>;
    const bool mixed =
        !rule.apiGroups.empty() || !rule.resources.empty() || !rule.resourceNames.empty();
    if (!namespaced && !mixed) return;
    errors.push_back(
        {FieldError::Kind::kInvalid, at + ".nonResourceURLs",
         api::Json(api::Json::Array(rule.nonResourceURLs.begin(), rule.nonResourceURLs.end()))
             .ToString(),
         namespaced ? "namespaced rules cannot apply to non-resource URLs"
                    : "rules cannot apply to both regular resources and non-resource "
                      "URLs"});
  }

  FieldErrors CheckNew(const Role& role, const Write&) const override {
    FieldErrors errors;
    for (std::size_t i = 0; i < role.rules.size(); ++i) {
      const auto& rule = role.rules[i];
      const std::string at = At("rules", i);
      if (!rule.nonResourceURLs.empty()) {
        CheckUrls(rule, at, errors);
        continue;
      }
      if (rule.apiGroups.empty()) {
        errors.push_back(FieldError::Required(at + ".apiGroups",
                                              "resource rules must supply at least one api group"));
      }
      if (rule.resources.empty()) {
        errors.push_back(FieldError::Required(at + ".resources",
                                              "resource rules must supply at least one resource"));
      }
    }
    for (std::size_t i = 0; i < role.rules.size(); ++i) {
      if (!role.rules[i].verbs.empty()) continue;
      errors.push_back(FieldError::Required(At("rules", i) + ".verbs", ""));
    }
    return errors;
  }

  FieldErrors CheckChange(const Role& now, const Role&, const Write& write) const override {
    return CheckNew(now, write);
  }
};

}  // namespace

const RestStrategy& RoleBindingRestStrategy() {
  static const BindingKind<rbac::v1::RoleBinding, true> kStrategy;
  return kStrategy;
}

const RestStrategy& ClusterRoleBindingRestStrategy() {
  static const BindingKind<rbac::v1::ClusterRoleBinding, false> kStrategy;
  return kStrategy;
}

const RestStrategy& RoleRestStrategy() {
  static const RoleKind<rbac::v1::Role> kStrategy;
  return kStrategy;
}

const RestStrategy& ClusterRoleRestStrategy() {
  static const RoleKind<rbac::v1::ClusterRole> kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
