#include <algorithm>
#include <array>
#include <string_view>

#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {
namespace {

/// What a refusal is about. A server says why in words alone: quota, policies and webhooks all come
/// as Forbidden.
struct Meaning {
  std::string_view text;  ///< in the message; empty: in any
  std::string_view cause;
  std::string_view advice;
};

constexpr std::array kForbidden = {
    Meaning{"exceeded quota", "A quota is used up", "raise the quota, or ask for less"},
    Meaning{"failed quota", "A quota asks for what the pods do not say",
            "set what the quota limits for every container: requests and limits"},
    Meaning{"error looking up service account", "The pods' service account is not there",
            "create the service account, or correct serviceAccountName in the template"},
    Meaning{"no PriorityClass", "The template is invalid: its priority class is not there",
            "create the priority class, or correct priorityClassName in the template"},
    Meaning{"violates PodSecurity", "The template is not what the namespace's pod security allows",
            "change the template's security context, or the namespace's policy"},
    Meaning{"being terminated", "The namespace is being deleted: nothing new is made in it",
            "use another namespace"},
    Meaning{" cannot ", "The controller lacks a permission",
            "give its service account the role that it needs (kubectl auth can-i --as)"},
    Meaning{"", "The API server does not allow it", ""}};

constexpr Meaning kInvalid{"", "The template is invalid: the API server does not take it",
                           "correct the template"};
constexpr Meaning kInvalidWrite{"", "The API server finds what a controller writes invalid", ""};
constexpr Meaning kUnauthorized{"", "The API server does not know who the manager is",
                                "renew the manager's credentials"};
constexpr Meaning kServer{"", "The API server refuses writes",
                          "look at the API server, its webhooks and etcd: the manager tries again "
                          "by itself"};
constexpr Meaning kWebhook{"admission webhook", "An admission webhook refuses it",
                           "look at the webhook, or at its rules"};
constexpr Meaning kOther{"", "A write is refused again and again", ""};

bool Has(std::string_view message, std::string_view text) {
  return message.find(text) != std::string_view::npos;
}

const Meaning& Forbidden(std::string_view message) {
  return *std::ranges::find_if(kForbidden,
                               [&](const Meaning& each) { return Has(message, each.text); });
}

/// Conditions and events have no codes, only what the server said.
ErrorCode CodeIn(std::string_view message) {
  if (Has(message, " is invalid:")) return ErrorCode::kInvalid;
  if (Has(message, " is forbidden:")) return ErrorCode::kForbidden;
  return ErrorCode::kConflict;
}

/// What is made from a template, and is as right or wrong as that.
bool IsMadeFromTemplate(std::string_view resource) {
  return resource == "pods" || resource == "replicasets.apps" || resource == "jobs.batch";
}

const Meaning& MeaningOf(ErrorCode code, const Refused& refused) {
  const std::string& message = refused.message;
  if (Has(message, kWebhook.text)) return kWebhook;
  switch (code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kBadRequest:
    case ErrorCode::kTooLarge:
      return IsMadeFromTemplate(refused.resource) ? kInvalid : kInvalidWrite;
    case ErrorCode::kForbidden:
      return Forbidden(message);
    case ErrorCode::kUnauthorized:
      return kUnauthorized;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
    case ErrorCode::kServerTimeout:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kTimeout:
    case ErrorCode::kIo:
      return kServer;
    default:
      return kOther;
  }
}

}  // namespace

Finding MeaningOf(const Refused& refused) {
  const ErrorCode code = refused.code.value_or(CodeIn(refused.message));
  const Meaning& meaning = MeaningOf(code, refused);
  return {.cause = std::string(meaning.cause) + ": " + refused.message,
          .evidence = {refused.by_whom + " could not " + refused.what},
          .advice = std::string(meaning.advice),
          .heard = refused.message};
}

}  // namespace flyball::ctl::trace
