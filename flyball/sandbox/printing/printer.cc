#include "flyball/sandbox/printing/printer.h"

#include <map>

namespace flyball::sandbox::printing {

const Printer* FindPrinter(const api::TypeInfo& type) {
  static const auto kAll = [] {
    std::map<const api::TypeInfo*, const Printer*> all;
    for (const auto topic :
         {PodPrinters(), WorkloadPrinters(), NetworkPrinters(), StoragePrinters(),
          ClusterPrinters(), AccessPrinters(), EventPrinters(), AutoscalingPrinters(),
          AdmissionPrinters(), DevicePrinters(), ExtensionPrinters()}) {
      for (const Printer& printer : topic) all[printer.type] = &printer;
    }
    return all;
  }();
  const auto found = kAll.find(&type);
  return found == kAll.end() ? nullptr : found->second;
}

}  // namespace flyball::sandbox::printing
