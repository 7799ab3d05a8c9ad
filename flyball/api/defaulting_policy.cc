#include "flyball/api/admissionregistration/v1.h"
#include "flyball/api/authentication/v1.h"
#include "flyball/api/certificates/v1.h"
#include "flyball/api/flowcontrol/v1.h"
#include "flyball/api/internal/default_rule.h"
#include "flyball/api/rbac/v1.h"

/// Defaults of who may do what, and who is asked: roles, tokens and certificates, admission, and
/// the order in which requests are served.
namespace flyball::api {
namespace {

using namespace admissionregistration::v1;
using namespace flowcontrol::v1;
using authentication::v1::TokenRequest;
using authentication::v1::TokenRequestSpec;
using certificates::v1::PodCertificateRequest;
using certificates::v1::PodCertificateRequestSpec;
using rbac::v1::ClusterRoleBinding;
using rbac::v1::RoleBinding;
using rbac::v1::RoleRef;

constexpr char kRbacGroup[] = "rbac.authorization.k8s.io";

/// Users and groups are RBAC's own; a service account is of the core group, whose name is empty.
void NameGroup(rbac::v1::Subject& subject) {
  const bool own = subject.kind == "User" || subject.kind == "Group";
  if (own && subject.apiGroup.empty()) subject.apiGroup = kRbacGroup;
}

constexpr const TypeInfo* kKinds[] = {
    &ClusterRoleBinding::kType,
    &RoleBinding::kType,
    &TokenRequest::kType,
    &PodCertificateRequest::kType,
    &MutatingAdmissionPolicy::kType,
    &MutatingAdmissionPolicyBinding::kType,
    &MutatingWebhookConfiguration::kType,
    &ValidatingAdmissionPolicy::kType,
    &ValidatingAdmissionPolicyBinding::kType,
    &ValidatingWebhookConfiguration::kType,
    &FlowSchema::kType,
    &PriorityLevelConfiguration::kType,
};

constexpr DefaultRule kRules[] = {
    Default<&RoleRef::apiGroup>(kRbacGroup),
    Compute<NameGroup>(),

    Default<&TokenRequestSpec::expirationSeconds>(3600),
    Default<&PodCertificateRequestSpec::maxExpirationSeconds>(86400),

    Default<&MutatingAdmissionPolicySpec::failurePolicy>("Fail"),
    Default<&ValidatingAdmissionPolicySpec::failurePolicy>("Fail"),
    Default<&MatchResources::matchPolicy>("Equivalent"),
    Default<&MatchResources::namespaceSelector>(EmptyObject()),
    Default<&MatchResources::objectSelector>(EmptyObject()),

    Default<&MutatingWebhook::failurePolicy>("Fail"),
    Default<&MutatingWebhook::matchPolicy>("Equivalent"),
    Default<&MutatingWebhook::namespaceSelector>(EmptyObject()),
    Default<&MutatingWebhook::objectSelector>(EmptyObject()),
    Default<&MutatingWebhook::timeoutSeconds>(10),
    Default<&MutatingWebhook::reinvocationPolicy>("Never"),

    Default<&ValidatingWebhook::failurePolicy>("Fail"),
    Default<&ValidatingWebhook::matchPolicy>("Equivalent"),
    Default<&ValidatingWebhook::namespaceSelector>(EmptyObject()),
    Default<&ValidatingWebhook::objectSelector>(EmptyObject()),
    Default<&ValidatingWebhook::timeoutSeconds>(10),

    Default<&Rule::scope>("*"),
    Default<&ServiceReference::port>(443),

    Default<&FlowSchemaSpec::matchingPrecedence>(1000),
    Default<&LimitedPriorityLevelConfiguration::nominalConcurrencyShares>(30),
    Default<&LimitedPriorityLevelConfiguration::lendablePercent>(0),
    Default<&QueuingConfiguration::handSize>(8),
    Default<&QueuingConfiguration::queues>(64),
    Default<&QueuingConfiguration::queueLengthLimit>(50),
    Default<&ExemptPriorityLevelConfiguration::nominalConcurrencyShares>(0),
    Default<&ExemptPriorityLevelConfiguration::lendablePercent>(0),
};

}  // namespace

constexpr DefaultTable kPolicyDefaults = {kKinds, kRules};

}  // namespace flyball::api
