#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

#include "flyball/api/string_pool.h"
#include "flyball/api/view_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Turns protobuf messages into views. A view is one block of memory, its size what the view's
/// fields need; what the view does not have is skipped on the wire and never copied.
///
/// One thread at a time. Keep one decoder for each stream of objects: it holds the texts that its
/// objects share, which live for as long as the decoder or any of its views does.
class ViewDecoder {
 public:
  ViewDecoder();
  ~ViewDecoder();
  ViewDecoder(ViewDecoder&&) noexcept;
  ViewDecoder& operator=(ViewDecoder&&) noexcept;

  template <typename View>
  Result<std::shared_ptr<const View>> Decode(std::string_view bytes) {
    return DecodeFields<View>(bytes, View::kView);
  }

  /// With the object's metadata and nothing else, for an object of which other parts are malformed.
  template <typename View>
  Result<std::shared_ptr<const View>> DecodeMetadata(std::string_view bytes) {
    return DecodeFields<View>(bytes, MetadataOf(View::kView));
  }

 private:
  template <typename View>
  Result<std::shared_ptr<const View>> DecodeFields(std::string_view bytes, const ViewInfo& fields) {
    static_assert(std::is_trivially_copyable_v<View> && std::is_trivially_destructible_v<View>);
    FLYBALL_TRY(Read(bytes, fields));
    std::shared_ptr<View> view = std::allocate_shared<View>(BlockAllocator<View>(shared_));
    Settle(view.get(), fields);
    return view;
  }

  /// The same view of a kind, less all fields but the first, which is the metadata of every kind.
  static ViewInfo MetadataOf(const ViewInfo& view);

  /// What the decoder and its views share. The two members at the end are how the allocator and
  /// Decode() tell each other of the bytes behind the struct.
  struct Shared {
    StringPool pool;
    std::size_t extra_size = 0;
    char* extra = nullptr;
  };

  /// Gives std::allocate_shared a block with room for the view's parts, and keeps the pool alive
  /// until the block is freed.
  template <typename T>
  class BlockAllocator {
   public:
    using value_type = T;

    explicit BlockAllocator(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    template <typename U>
    BlockAllocator(const BlockAllocator<U>& other) : shared_(other.shared_) {}

    T* allocate(std::size_t n) {
      char* const block = static_cast<char*>(::operator new(n * sizeof(T) + shared_->extra_size));
      shared_->extra = block + n * sizeof(T);
      return reinterpret_cast<T*>(block);
    }
    void deallocate(T* block, std::size_t) { ::operator delete(block); }
    friend bool operator==(const BlockAllocator& a, const BlockAllocator& b) {
      return a.shared_ == b.shared_;
    }

   private:
    template <typename U>
    friend class BlockAllocator;
    std::shared_ptr<Shared> shared_;
  };

  class Builder;

  /// Reads a message into scratch memory and sets `extra_size` to what its parts will take.
  Result<> Read(std::string_view bytes, const ViewInfo& view);
  /// Moves what was read into a fresh struct and the bytes at `extra`.
  void Settle(void* object, const ViewInfo& view);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Builder> builder_;
};

}  // namespace flyball::api
