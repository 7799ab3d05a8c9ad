#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

// Metrics, as Prometheus reads them.
//
// Code that records keeps handles (Counter, Gauge, Histogram), which it gets from families, which
// it gets from the process's MetricRegistry. A handle or family that was made from nothing records
// nothing: who offers metrics as an option keeps a struct of them, default constructed where there
// is no registry, and records without asking.

namespace flyball {

/// Only rises. Any thread, without locks.
class Counter {
 public:
  /// Counts nothing.
  Counter() = default;

  void Increment() const { Add(1); }
  /// What is below zero is not added.
  void Add(double amount) const {
    if (cell_ != nullptr) AddToCell(amount);
  }

 private:
  friend class CounterFamily;
  explicit Counter(prometheus::Counter& cell) : cell_(&cell) {}
  void AddToCell(double amount) const;

  prometheus::Counter* cell_ = nullptr;
};

/// Rises and falls. Any thread, without locks.
class Gauge {
 public:
  /// Shows nothing.
  Gauge() = default;

  void Set(double value) const {
    if (cell_ != nullptr) SetCell(value);
  }
  void Add(double amount) const {
    if (cell_ != nullptr) AddToCell(amount);
  }

 private:
  friend class GaugeFamily;
  explicit Gauge(prometheus::Gauge& cell) : cell_(&cell) {}
  void SetCell(double value) const;
  void AddToCell(double amount) const;

  prometheus::Gauge* cell_ = nullptr;
};

/// Counts values by size. Any thread; takes a lock of its own for a few instructions.
class Histogram {
 public:
  /// Observes nothing.
  Histogram() = default;

  void Observe(double value) const {
    if (cell_ != nullptr) ObserveInCell(value);
  }

 private:
  friend class HistogramFamily;
  explicit Histogram(prometheus::Histogram& cell) : cell_(&cell) {}
  void ObserveInCell(double value) const;

  prometheus::Histogram* cell_ = nullptr;
};

/// A value that is asked for when somebody reads the metrics, and shown until this is destroyed.
/// The destructor waits for a question that is being answered, so it must not hold a lock that the
/// answer needs. May outlive the registry.
class GaugeCallback {
 public:
  GaugeCallback() = default;
  GaugeCallback(GaugeCallback&&) noexcept = default;
  GaugeCallback& operator=(GaugeCallback&& other) noexcept;
  ~GaugeCallback();

 private:
  friend class GaugeFamily;
  struct Source;
  explicit GaugeCallback(std::shared_ptr<Source> source);

  std::shared_ptr<Source> source_;
};

using LabelValues = std::initializer_list<std::string_view>;

/// Counters of one name. Like the handles that With() gives, it is cheap to copy and good for as
/// long as the registry lives. With() finds or makes the counter of these label values, in the
/// order of the names: it takes a lock and looks into a map, so a hot path keeps what it returns.
class CounterFamily {
 public:
  CounterFamily() = default;
  Counter With(LabelValues values = {}) const;

 private:
  friend class MetricRegistry;
  struct State;
  explicit CounterFamily(State& state) : state_(&state) {}

  State* state_ = nullptr;
};

/// As CounterFamily.
class GaugeFamily {
 public:
  GaugeFamily() = default;
  Gauge With(LabelValues values = {}) const;

  /// Shows what `value` returns at the time. It may be called on any thread, but once at a time,
  /// and must neither wait nor use the registry. Of two callbacks for the same label values the
  /// later counts; With() must not be given them too.
  [[nodiscard]] GaugeCallback WithCallback(LabelValues values,
                                           std::move_only_function<double()> value) const;

 private:
  friend class MetricRegistry;
  struct State;
  explicit GaugeFamily(State& state) : state_(&state) {}

  State* state_ = nullptr;
};

/// As CounterFamily.
class HistogramFamily {
 public:
  HistogramFamily() = default;
  Histogram With(LabelValues values = {}) const;

 private:
  friend class MetricRegistry;
  struct State;
  explicit HistogramFamily(State& state) : state_(&state) {}

  State* state_ = nullptr;
};

/// What a family is called, and what for.
struct MetricInfo {
  std::string name;  ///< "rest_client_requests_total"
  std::string help;
  std::vector<std::string> labels = {};  ///< names
  friend bool operator==(const MetricInfo&, const MetricInfo&) = default;
};

/// All metrics of a process, or of a test. To ask for a name that is there gives the family that is
/// there, since several parts may count the same thing; with other labels, help, buckets or kind it
/// is a programmer's error.
///
/// Any thread may call it. Must outlive the handles.
class MetricRegistry {
 public:
  MetricRegistry();
  ~MetricRegistry();
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  CounterFamily Counters(const MetricInfo& info);
  GaugeFamily Gauges(const MetricInfo& info);
  /// `buckets` are upper bounds, ascending; the one without bound need not be given.
  HistogramFamily Histograms(const MetricInfo& info, const std::vector<double>& buckets);

  /// Everything, in Prometheus' text format (version 0.0.4), as Go programs write it to the byte:
  /// families by name, series by label values, labels by name, the shortest digits that read back
  /// as the same number. A family without series is left out.
  std::string Text() const;

 private:
  class Families;

  const std::unique_ptr<Families> families_;
};

}  // namespace flyball
