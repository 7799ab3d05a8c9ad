#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using core::v1::Event;

constexpr std::size_t kMaxName = 128;  // of an action, a reason, an instance
constexpr std::size_t kMaxMessage = 1024;

/// The newer API is strict; the old one takes what it has always taken.
bool IsStrict(const Write& write) { return write.resource.kind->group() == "events.k8s.io"; }

FieldError Wrong(std::string field, std::string why) {
  // PARITY: upstream does not show what is wrong here.
  return FieldError::Invalid(std::move(field), "", std::move(why));
}

void CheckLength(const std::string& text, std::size_t limit, std::string field,
                 FieldErrors& errors) {
  if (text.size() <= limit) return;
  errors.push_back(
      Wrong(std::move(field), "can have at most " + std::to_string(limit) + " characters"));
}

/// It must be there, and not be too long.
void CheckShortText(const std::string& text, const std::string& field, FieldErrors& errors) {
  if (text.empty()) errors.push_back(FieldError::Required(field, ""));
  CheckLength(text, kMaxName, field, errors);
}

/// An event is where what it is about is; what is in no namespace is told of in the default one.
void CheckPlace(const Event& event, FieldErrors& errors) {
  const std::string& about = event.involvedObject.namespace_;
  const std::string& own = event.metadata.namespace_;
  bool fits = about.empty() ? own == "default" : about == own;
  // PARITY: an event of the newer form may be elsewhere.
  if (!event.eventTime.IsZero()) fits = fits || !about.empty() || own == "kube-system";
  if (fits) return;
  errors.push_back(
      FieldError::Invalid("involvedObject.namespace", about, "does not match event.namespace"));
}

/// What either API wants. An event that has a time is one of the newer form.
FieldErrors CheckForm(const Event& event, const Write& write) {
  FieldErrors errors;
  CheckPlace(event, errors);
  if (event.eventTime.IsZero()) return errors;
  const std::string reporter = IsStrict(write) ? "reportingController" : "reportingComponent";
  if (event.reportingComponent.empty()) errors.push_back(FieldError::Required(reporter, ""));
  for (const std::string& problem : QualifiedNameProblems(event.reportingComponent)) {
    errors.push_back(FieldError::Invalid(reporter, event.reportingComponent, problem));
  }
  CheckShortText(event.reportingInstance, "reportingInstance", errors);
  CheckShortText(event.action, "action", errors);
  CheckShortText(event.reason, "reason", errors);
  CheckLength(event.message, kMaxMessage, "message", errors);
  return errors;
}

void CheckSeries(const Event& event, FieldErrors& errors) {
  if (!event.series) return;
  if (event.series->count < 2) errors.push_back(Wrong("series.count", "should be at least 2"));
  if (event.series->lastObservedTime.IsZero()) {
    errors.push_back(FieldError::Required("series.lastObservedTime", ""));
  }
}

// PARITY: upstream shows its internal types, whose members are called otherwise.
std::string Shown(const std::string& text) { return Json(text).ToString(); }
std::string Shown(std::int32_t number) { return std::to_string(number); }
std::string Shown(const core::v1::ObjectReference& about) {
  return "{\"Kind\":" + Shown(about.kind) + ",\"Namespace\":" + Shown(about.namespace_) +
         ",\"Name\":" + Shown(about.name) + ",\"UID\":" + Shown(about.uid) +
         ",\"APIVersion\":" + Shown(about.apiVersion) +
         ",\"ResourceVersion\":" + Shown(about.resourceVersion) +
         ",\"FieldPath\":" + Shown(about.fieldPath) + "}";
}
std::string Shown(const api::Box<core::v1::ObjectReference>& about) {
  return about ? Shown(*about) : "null";
}
std::string Shown(const core::v1::EventSource& source) {
  return "{\"Component\":" + Shown(source.component) + ",\"Host\":" + Shown(source.host) + "}";
}
template <typename Moment>
  requires requires(const Moment& moment) { moment.IsZero(); }
std::string Shown(const Moment& moment) {
  return moment.IsZero() ? "null" : Shown(moment.ToString());
}

template <typename T>
void CheckSame(const T& now, const T& before, std::string field, FieldErrors& errors) {
  if (now == before) return;
  errors.push_back(
      {FieldError::Kind::kInvalid, std::move(field), Shown(now), "field is immutable"});
}

class EventKind final : public StrategyFor<Event> {
  NameRule names() const override { return NameRule::kPathSegment; }

  FieldErrors CheckNew(const Event& event, const Write& write) const override {
    FieldErrors errors = CheckForm(event, write);
    if (!IsStrict(write)) return errors;
    for (const std::string& problem : SubdomainProblems(event.metadata.name)) {
      errors.push_back(FieldError::Invalid("metadata.name", event.metadata.name, problem));
    }
    CheckSeries(event, errors);
    if (event.eventTime.IsZero()) errors.push_back(FieldError::Required("eventTime", ""));
    if (event.type != "Normal" && event.type != "Warning") {
      errors.push_back(Wrong("type", "has invalid value: " + event.type));
    }
    // What the newer API calls deprecated it does not take.
    const auto unset = [&](bool is_set, std::string field) {
      if (is_set) errors.push_back(Wrong(std::move(field), "needs to be unset"));
    };
    unset(!event.firstTimestamp.IsZero(), "firstTimestamp");
    unset(!event.lastTimestamp.IsZero(), "lastTimestamp");
    unset(event.count != 0, "count");
    unset(!event.source.component.empty() || !event.source.host.empty(), "source");
    return errors;
  }

  /// Of an event that is there only the series goes on.
  FieldErrors CheckChange(const Event& now, const Event& before,
                          const Write& write) const override {
    FieldErrors errors = CheckForm(now, write);
    if (!IsStrict(write)) return errors;
    if (now.series != before.series) CheckSeries(now, errors);
    CheckSame(now.involvedObject, before.involvedObject, "involvedObject", errors);
    CheckSame(now.reason, before.reason, "reason", errors);
    CheckSame(now.message, before.message, "message", errors);
    CheckSame(now.source, before.source, "source", errors);
    CheckSame(now.firstTimestamp, before.firstTimestamp, "firstTimestamp", errors);
    CheckSame(now.lastTimestamp, before.lastTimestamp, "lastTimestamp", errors);
    CheckSame(now.count, before.count, "count", errors);
    CheckSame(now.type, before.type, "type", errors);
    CheckSame(now.eventTime, before.eventTime, "eventTime", errors);
    CheckSame(now.action, before.action, "action", errors);
    CheckSame(now.related, before.related, "related", errors);
    CheckSame(now.reportingComponent, before.reportingComponent, "reportingController", errors);
    CheckSame(now.reportingInstance, before.reportingInstance, "reportingInstance", errors);
    return errors;
  }
};

}  // namespace

const RestStrategy& EventRestStrategy() {
  static const EventKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
