#pragma once

#include "flyball/controllers/volume_binder/own_writes.h"
#include "flyball/runtime/context.h"

namespace flyball::controllers::volume_binder {

/// Writes claims and volumes for one reconcile, each at the version that was looked at or that the
/// last write here has made of it. For the thread of that reconcile.
class Writer {
 public:
  Writer(runtime::Context& context, OwnWrites& own_writes)
      : context_(context), own_writes_(own_writes) {}

  Result<> Put(PersistentVolume& volume);
  Result<> PutStatus(PersistentVolume& volume);
  Result<> Put(PersistentVolumeClaim& claim);
  Result<> PutStatus(PersistentVolumeClaim& claim);

  /// Both, in the order in which what is half done can be told and gone on with. Ends at the first
  /// that fails.
  Result<> Bind(PersistentVolume volume, PersistentVolumeClaim claim);
  /// Takes a binding back, and offers the volume to others.
  Result<> Unbind(const PersistentVolume& volume);

 private:
  runtime::Context& context_;
  OwnWrites& own_writes_;
};

}  // namespace flyball::controllers::volume_binder
