#include "flyball/base/metrics.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/base/internal/metrics_text.h"
#include "flyball/base/mutex.h"
#include "prometheus/check_names.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"

namespace flyball {
namespace {

/// A name with its value each.
prometheus::Labels MakeLabels(const MetricInfo& info, LabelValues values) {
  FLYBALL_CHECK(values.size() == info.labels.size(), "one value for each label of " + info.name);
  prometheus::Labels labels;
  auto name = info.labels.begin();
  for (const std::string_view value : values) labels.emplace(*name++, value);
  return labels;
}

void CheckInfo(const MetricInfo& info) {
  FLYBALL_CHECK(prometheus::CheckMetricName(info.name), "not a metric's name: " + info.name);
  for (const std::string& label : info.labels) {
    FLYBALL_CHECK(prometheus::CheckLabelName(label) && label != "le",
                  "not a label's name: " + label);
    FLYBALL_CHECK(std::ranges::count(info.labels, label) == 1, "a label twice: " + label);
  }
}

/// A family, to the registry.
class AnyFamily {
 public:
  explicit AnyFamily(MetricInfo info) : info_(std::move(info)) {}
  virtual ~AnyFamily() = default;
  AnyFamily(const AnyFamily&) = delete;
  AnyFamily& operator=(const AnyFamily&) = delete;

  const MetricInfo& info() const { return info_; }
  virtual prometheus::MetricFamily Collect() = 0;

 private:
  const MetricInfo info_;
};

template <typename Cell>
class FamilyOf : public AnyFamily {
 public:
  explicit FamilyOf(MetricInfo what)
      : AnyFamily(std::move(what)), cells_(info().name, info().help, prometheus::Labels()) {}

  template <typename... Args>
  Cell& Find(LabelValues values, const Args&... args) {
    return cells_.Add(MakeLabels(info(), values), args...);
  }

  prometheus::MetricFamily Collect() override {
    auto collected = cells_.Collect();
    if (!collected.empty()) return std::move(collected.front());
    return {.name = info().name, .help = info().help, .type = Cell::metric_type, .metric = {}};
  }

 private:
  prometheus::Family<Cell> cells_;  // locks for itself
};

}  // namespace

void Counter::AddToCell(double amount) const { cell_->Increment(amount); }
void Gauge::SetCell(double value) const { cell_->Set(value); }
void Gauge::AddToCell(double amount) const { cell_->Increment(amount); }
void Histogram::ObserveInCell(double value) const { cell_->Observe(value); }

/// A callback, between the one who gave it and the registry that asks it.
struct GaugeCallback::Source {
  explicit Source(std::move_only_function<double()> from) : value(std::move(from)) {}

  // Held while the callback runs, so that its end can be waited for.
  Mutex mutex;
  std::move_only_function<double()> value FLYBALL_GUARDED_BY(mutex);  // empty: gone
};

GaugeCallback::GaugeCallback(std::shared_ptr<Source> source) : source_(std::move(source)) {}

GaugeCallback& GaugeCallback::operator=(GaugeCallback&& other) noexcept {
  GaugeCallback taken(std::move(other));
  std::swap(source_, taken.source_);
  return *this;
}

GaugeCallback::~GaugeCallback() {
  if (!source_) return;
  MutexLock lock(source_->mutex);
  source_->value = nullptr;
}

struct CounterFamily::State : FamilyOf<prometheus::Counter> {
  using FamilyOf::FamilyOf;
};

struct GaugeFamily::State : FamilyOf<prometheus::Gauge> {
  using FamilyOf::FamilyOf;

  prometheus::MetricFamily Collect() override;

  Mutex mutex;
  std::map<prometheus::Labels, std::weak_ptr<GaugeCallback::Source>> callbacks
      FLYBALL_GUARDED_BY(mutex);
};

struct HistogramFamily::State : FamilyOf<prometheus::Histogram> {
  State(MetricInfo what, std::vector<double> bounds)
      : FamilyOf(std::move(what)), buckets(std::move(bounds)) {}

  const std::vector<double> buckets;
};

Counter CounterFamily::With(LabelValues values) const {
  return state_ == nullptr ? Counter() : Counter(state_->Find(values));
}

Gauge GaugeFamily::With(LabelValues values) const {
  return state_ == nullptr ? Gauge() : Gauge(state_->Find(values));
}

Histogram HistogramFamily::With(LabelValues values) const {
  return state_ == nullptr ? Histogram() : Histogram(state_->Find(values, state_->buckets));
}

GaugeCallback GaugeFamily::WithCallback(LabelValues values,
                                        std::move_only_function<double()> value) const {
  if (state_ == nullptr) return {};
  auto source = std::make_shared<GaugeCallback::Source>(std::move(value));
  MutexLock lock(state_->mutex);
  state_->callbacks.insert_or_assign(MakeLabels(state_->info(), values), source);
  return GaugeCallback(std::move(source));
}

prometheus::MetricFamily GaugeFamily::State::Collect() {
  prometheus::MetricFamily family = FamilyOf::Collect();
  std::vector<std::pair<prometheus::Labels, std::shared_ptr<GaugeCallback::Source>>> sources;
  {
    MutexLock lock(mutex);
    std::erase_if(callbacks, [](const auto& entry) { return entry.second.expired(); });
    for (const auto& [labels, source] : callbacks) {
      if (auto held = source.lock()) sources.emplace_back(labels, std::move(held));
    }
  }
  for (const auto& [labels, source] : sources) {
    MutexLock lock(source->mutex);
    if (!source->value) continue;
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : labels) metric.label.push_back({name, value});
    metric.gauge.value = source->value();
    family.metric.push_back(std::move(metric));
  }
  return family;
}

/// The families by name, which stay once they are there.
class MetricRegistry::Families {
 public:
  template <typename State, typename... Buckets>
  State& FindOrMake(const MetricInfo& info, const Buckets&... buckets) {
    MutexLock lock(mutex_);
    std::unique_ptr<AnyFamily>& family = families_[info.name];
    if (!family) {
      CheckInfo(info);
      family = std::make_unique<State>(info, buckets...);
    }
    auto* same_kind = dynamic_cast<State*>(family.get());
    FLYBALL_CHECK(same_kind != nullptr && same_kind->info() == info,
                  "a metric of another shape is there: " + info.name);
    return *same_kind;
  }

  std::vector<AnyFamily*> All() const {
    MutexLock lock(mutex_);
    std::vector<AnyFamily*> all;
    for (const auto& [name, family] : families_) all.push_back(family.get());
    return all;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<AnyFamily>> families_ FLYBALL_GUARDED_BY(mutex_);
};

MetricRegistry::MetricRegistry() : families_(std::make_unique<Families>()) {}
MetricRegistry::~MetricRegistry() = default;

CounterFamily MetricRegistry::Counters(const MetricInfo& info) {
  return CounterFamily(families_->FindOrMake<CounterFamily::State>(info));
}

GaugeFamily MetricRegistry::Gauges(const MetricInfo& info) {
  return GaugeFamily(families_->FindOrMake<GaugeFamily::State>(info));
}

HistogramFamily MetricRegistry::Histograms(const MetricInfo& info,
                                           const std::vector<double>& buckets) {
  FLYBALL_CHECK(std::ranges::is_sorted(buckets, std::less_equal()),
                "the buckets do not ascend: " + info.name);
  auto& state = families_->FindOrMake<HistogramFamily::State>(info, buckets);
  FLYBALL_CHECK(state.buckets == buckets, "other buckets are there: " + state.info().name);
  return HistogramFamily(state);
}

std::string MetricRegistry::Text() const {
  std::string text;
  for (AnyFamily* family : families_->All()) AppendMetricText(text, family->Collect());
  return text;
}

}  // namespace flyball
