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

namespace admission = admissionregistration::v1;
namespace flow = flowcontrol::v1;

constexpr char kRbacGroup[] = "rbac.authorization.k8s.io";

/// Users and groups are RBAC's own; a service account is of the core group, whose name is empty.
void NameGroup(rbac::v1::Subject& subject) {
  const bool own = subject.kind == "User" || subject.kind == "Group";
  if (own && subject.apiGroup.empty()) subject.apiGroup = kRbacGroup;
}

constexpr const TypeInfo* kKinds[] = {
    &rbac::v1::ClusterRoleBinding::kType,
    &rbac::v1::RoleBinding::kType,
    &authentication::v1::TokenRequest::kType,
    &certificates::v1::PodCertificateRequest::kType,
    &admission::MutatingAdmissionPolicy::kType,
    &admission::MutatingAdmissionPolicyBinding::kType,
    &admission::MutatingWebhookConfiguration::kType,
    &admission::ValidatingAdmissionPolicy::kType,
    &admission::ValidatingAdmissionPolicyBinding::kType,
    &admission::ValidatingWebhookConfiguration::kType,
    &flow::FlowSchema::kType,
    &flow::PriorityLevelConfiguration::kType,
};

constexpr DefaultRule kRules[] = {
    Default<&rbac::v1::RoleRef::apiGroup>(kRbacGroup),
    Compute<NameGroup>(),

    Default<&authentication::v1::TokenRequestSpec::expirationSeconds>(3600),
    Default<&certificates::v1::PodCertificateRequestSpec::maxExpirationSeconds>(86400),

    Default<&admission::MutatingAdmissionPolicySpec::failurePolicy>("Fail"),
    Default<&admission::ValidatingAdmissionPolicySpec::failurePolicy>("Fail"),
    Default<&admission::MatchResources::matchPolicy>("Equivalent"),
    Default<&admission::MatchResources::namespaceSelector>(EmptyObject()),
    Default<&admission::MatchResources::objectSelector>(EmptyObject()),

    Default<&admission::MutatingWebhook::failurePolicy>("Fail"),
    Default<&admission::MutatingWebhook::matchPolicy>("Equivalent"),
    Default<&admission::MutatingWebhook::namespaceSelector>(EmptyObject()),
    Default<&admission::MutatingWebhook::objectSelector>(EmptyObject()),
    Default<&admission::MutatingWebhook::timeoutSeconds>(10),
    Default<&admission::MutatingWebhook::reinvocationPolicy>("Never"),

    Default<&admission::ValidatingWebhook::failurePolicy>("Fail"),
    Default<&admission::ValidatingWebhook::matchPolicy>("Equivalent"),
    Default<&admission::ValidatingWebhook::namespaceSelector>(EmptyObject()),
    Default<&admission::ValidatingWebhook::objectSelector>(EmptyObject()),
    Default<&admission::ValidatingWebhook::timeoutSeconds>(10),

    Default<&admission::Rule::scope>("*"),
    Default<&admission::ServiceReference::port>(443),

    Default<&flow::FlowSchemaSpec::matchingPrecedence>(1000),
    Default<&flow::LimitedPriorityLevelConfiguration::nominalConcurrencyShares>(30),
    Default<&flow::LimitedPriorityLevelConfiguration::lendablePercent>(0),
    Default<&flow::QueuingConfiguration::handSize>(8),
    Default<&flow::QueuingConfiguration::queues>(64),
    Default<&flow::QueuingConfiguration::queueLengthLimit>(50),
    Default<&flow::ExemptPriorityLevelConfiguration::nominalConcurrencyShares>(0),
    Default<&flow::ExemptPriorityLevelConfiguration::lendablePercent>(0),
};

}  // namespace

constexpr DefaultTable kPolicyDefaults = {kKinds, kRules};

}  // namespace flyball::api
