#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/type_info.h"
#include "flyball/base/clock.h"

/// What `kubectl get` shows of each kind: columns, and a row of cells an object. One file a topic,
/// with a table of its kinds at the end. Versions that share a storage are shown as what is stored.
/// DIVERGES: columns have no descriptions; upstream's are its field documentation.
namespace flyball::sandbox::printing {

struct Column {
  std::string_view name;
  std::string_view type = "string";
  std::string_view format = {};
  std::int32_t priority = 0;  ///< 0 is always shown, more only in wide output
};

inline constexpr Column kName{.name = "Name", .format = "name"};
inline constexpr Column kAge{.name = "Age"};
constexpr Column Integer(std::string_view name) { return {.name = name, .type = "integer"}; }
constexpr Column Boolean(std::string_view name) { return {.name = name, .type = "boolean"}; }
constexpr Column Wide(std::string_view name) { return {.name = name, .priority = 1}; }

using Cells = std::vector<api::Json>;

/// How one kind is shown. Cells are always those of all columns; clients leave out what is wide.
struct Printer {
  const api::TypeInfo* type;
  std::span<const Column> columns;
  Cells (*cells)(const void* object, WallTime now);
};

template <typename T, Cells (*kCells)(const T& object, WallTime now)>
constexpr Printer For(std::span<const Column> columns) {
  return {&T::kType, columns, [](const void* object, WallTime now) {
            return kCells(*static_cast<const T*>(object), now);
          }};
}

/// That of a built-in kind; null if it has none and is shown by its name and first moment alone.
const Printer* FindPrinter(const api::TypeInfo& type);

std::span<const Printer> PodPrinters();
std::span<const Printer> WorkloadPrinters();
std::span<const Printer> NetworkPrinters();
std::span<const Printer> StoragePrinters();
std::span<const Printer> ClusterPrinters();
std::span<const Printer> AccessPrinters();
std::span<const Printer> EventPrinters();
std::span<const Printer> AutoscalingPrinters();
std::span<const Printer> AdmissionPrinters();
std::span<const Printer> DevicePrinters();
std::span<const Printer> ExtensionPrinters();

}  // namespace flyball::sandbox::printing
