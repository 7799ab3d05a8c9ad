#pragma once

#include "flyball/base/metrics.h"

namespace flyball::transport {

/// How many transports there are and have been, under the names of upstream's cache of them. What
/// is an entry there is an HttpTransport here: the connections to one server with one TLS
/// configuration, which clients share.
///   rest_client_transport_cache_entries                 those there are
///   rest_client_transport_create_calls_total            those made, all as "miss": who shares one
///                                                       does not ask for it
///   rest_client_transport_cache_gc_calls_total          those gone, all as "deleted"
///   rest_client_transport_cert_rotation_gc_calls_total  none ever: nothing runs beside a transport
///                                                       that would have to be ended after it
/// Cheap to copy. Any thread.
class TransportMetrics {
 public:
  /// Records nothing.
  TransportMetrics() = default;
  /// The registry must outlive all copies.
  explicit TransportMetrics(MetricRegistry& registry);

  void Made() const;
  void Gone() const;

 private:
  Gauge entries_;
  CounterFamily created_;
  CounterFamily collected_;
};

}  // namespace flyball::transport
