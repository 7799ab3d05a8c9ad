#include <string>

#include "flyball/api/admissionregistration/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using namespace admissionregistration::v1;  // NOLINT(google-build-using-namespace): long names

constexpr Column kWebhookColumns[] = {kName, Integer("Webhooks"), kAge};

template <typename Configuration>
Cells WebhookCells(const Configuration& object, WallTime now) {
  return {object.metadata.name, Count(object.webhooks), AgeOf(object, now)};
}

template <typename Policy>
std::string ParamKindOf(const Policy& policy) {
  const auto& kind = policy.spec.paramKind;
  return kind ? kind->apiVersion + "/" + kind->kind : "<unset>";
}

constexpr Column kValidatingColumns[] = {kName, Integer("Validations"), {"ParamKind"}, kAge};

Cells ValidatingCells(const ValidatingAdmissionPolicy& policy, WallTime now) {
  return {policy.metadata.name, Count(policy.spec.validations), ParamKindOf(policy),
          AgeOf(policy, now)};
}

constexpr Column kMutatingColumns[] = {kName, Integer("Mutations"), {"ParamKind"}, kAge};

Cells MutatingCells(const MutatingAdmissionPolicy& policy, WallTime now) {
  return {policy.metadata.name, Count(policy.spec.mutations), ParamKindOf(policy),
          AgeOf(policy, now)};
}

constexpr Column kBindingColumns[] = {kName, {"PolicyName"}, {"ParamRef"}, kAge};

template <typename Binding>
Cells BindingCells(const Binding& binding, WallTime now) {
  std::string param = "<unset>";
  if (const auto& ref = binding.spec.paramRef) {
    if (!ref->name.empty()) {
      param = Or(ref->namespace_, "*") + "/" + ref->name;
    } else if (ref->selector) {
      // DIVERGES: upstream prints the Go struct.
      param = SelectorText(ref->selector);
    }
  }
  return {binding.metadata.name, binding.spec.policyName, param, AgeOf(binding, now)};
}

constexpr Printer kPrinters[] = {
    For<MutatingWebhookConfiguration, WebhookCells<MutatingWebhookConfiguration>>(kWebhookColumns),
    For<ValidatingWebhookConfiguration, WebhookCells<ValidatingWebhookConfiguration>>(
        kWebhookColumns),
    For<ValidatingAdmissionPolicy, ValidatingCells>(kValidatingColumns),
    For<MutatingAdmissionPolicy, MutatingCells>(kMutatingColumns),
    For<ValidatingAdmissionPolicyBinding, BindingCells<ValidatingAdmissionPolicyBinding>>(
        kBindingColumns),
    For<MutatingAdmissionPolicyBinding, BindingCells<MutatingAdmissionPolicyBinding>>(
        kBindingColumns),
};

}  // namespace

std::span<const Printer> AdmissionPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
