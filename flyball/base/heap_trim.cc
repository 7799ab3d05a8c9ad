#include "flyball/base/heap_trim.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace flyball {
namespace {

/// What is mapped of a file and never written.
int ForgetCodeOf(dl_phdr_info* file, std::size_t, void*) {
  if (std::string_view(file->dlpi_name) == "linux-vdso.so.1") return 0;  // the kernel's
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const auto& part = file->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (file->dlpi_addr + part.p_vaddr) / page * page;
    const std::size_t size = file->dlpi_addr + part.p_vaddr + part.p_memsz - begin;
    // Advice: where it is not taken, all is as before.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is where the loader says
    madvise(reinterpret_cast<void*>(begin), size, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void ForgetUnusedCode() { dl_iterate_phdr(ForgetCodeOf, nullptr); }

void ShareOneHeap() { mallopt(M_ARENA_MAX, 1); }

HeapTrimmer::HeapTrimmer(Timers& timers)
    : clock_(timers.clock()), timer_(timers, [this] { Trim(); }) {
  timer_.FireBy(clock_.SteadyNow() + kInterval);
}

void HeapTrimmer::Trim() {
  const SteadyTime begin = clock_.SteadyNow();
  malloc_trim(0);
  if (!std::exchange(started_, true)) ForgetUnusedCode();
  const SteadyTime end = clock_.SteadyNow();
  timer_.FireBy(end + std::max(kInterval, (end - begin) * kPart));
}

}  // namespace flyball
