#include "flyball/transport/transport_metrics.h"

namespace flyball::transport {

TransportMetrics::TransportMetrics(MetricRegistry& registry)
    : entries_(
          registry
              .Gauges({"rest_client_transport_cache_entries", "[ALPHA] Transports that there are."})
              .With()),
      created_(registry.Counters({"rest_client_transport_create_calls_total",
                                  "[ALPHA] Transports that were made, by why that was needed.",
                                  {"result"}})),
      collected_(registry.Counters({"rest_client_transport_cache_gc_calls_total",
                                    "[ALPHA] Transports that are gone, by what was done.",
                                    {"result"}})) {
  registry
      .Counters({"rest_client_transport_cert_rotation_gc_calls_total",
                 "[ALPHA] Tasks beside a transport that were ended when it was gone."})
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
