#include "flyball/transport/transport_metrics.h"

namespace flyball::transport {

TransportMetrics::TransportMetrics(MetricRegistry& registry)
    : entries_(registry
                   .Gauges({"rest_client_transport_cache_entries",
                            "[ALPHA] Number of client transports in use; each has its own "
                            "connections and TLS settings."})
                   .With()),
      created_(registry.Counters({"rest_client_transport_create_calls_total",
                                  "[ALPHA] Number of client transports created, by result of the "
                                  "lookup in the transport cache.",
                                  {"result"}})),
      collected_(registry.Counters(
          {"rest_client_transport_cache_gc_calls_total",
           "[ALPHA] Number of client transports that were closed and collected, by result.",
           {"result"}})) {
  registry
      .Counters({"rest_client_transport_cert_rotation_gc_calls_total",
                 "[ALPHA] Number of certificate rotation tasks stopped when the transport they "
                 "belonged to was closed."})
      .With();
}

void TransportMetrics::Made() const {
  entries_.Add(1);
  created_.With({"miss"}).Increment();
}

void TransportMetrics::Gone() const {
  entries_.Add(-1);
  collected_.With({"deleted"}).Increment();
}

}  // namespace flyball::transport
