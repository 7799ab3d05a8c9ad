#include "flyball/api/json_decode.h"

#include <optional>
#include <string>
#include <vector>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/internal/json_leaf.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/json_writer.h"

namespace flyball::api {

/// A stack machine over the table. The top of the stack says what the next value is for: a member
/// of a struct, an element of a list or map, or text that is kept as it is.
class ObjectSink::Impl final : public JsonSink {
 public:
  Impl(const TypeInfo& type, void* object, std::size_t input_size)
      : root_type_(type), root_(object), budget_(input_size) {}

  std::string Path() const {
    std::string text;
    for (const Frame& frame : stack_) {
      switch (frame.form) {
        case Form::kStruct:
          if (frame.key.empty()) break;
          if (!text.empty()) text += '.';
          text += frame.key;
          break;
        case Form::kList:
          text.append("[").append(std::to_string(frame.index)).append("]");
          break;
        case Form::kMap:
          if (!frame.key.empty()) text.append("[").append(frame.key).append("]");
          break;
      }
    }
    return text;
  }

  void BeginObject() override {
    if (Captured([](JsonSink& raw) { raw.BeginObject(); }, +1)) return;
    Slot slot = NextValue();
    if (slot.whole_field && slot.field->shape == Shape::kMap) {
      MapClear(slot.address, *slot.field);
      return Push({Form::kMap, nullptr, slot.field, slot.address, {}, 0});
    }
    if (slot.whole_field) Mismatch("an array", "an object");
    if (slot.kind == Kind::kRaw) return Capture(slot, [](JsonSink& raw) { raw.BeginObject(); }, +1);
    if (slot.kind != Kind::kMessage) Mismatch(Wanted(slot.kind), "an object");
    if (slot.message->is_union) slot = ChooseForm(slot, UnionForm::kObject, "an object");
    Push({Form::kStruct, slot.message, nullptr, slot.address, {}, 0});
  }

  void Key(std::string_view name) override {
    if (Captured([&](JsonSink& raw) { raw.Key(name); }, 0)) return;
    Frame& top = stack_.back();
    top.key = name;
    if (top.form == Form::kMap) return;
    member_ = {};
    if (!FindMember(*top.type, top.address, name)) unknown_ = true;
  }

  void EndObject() override {
    Leave([](JsonSink& raw) { raw.EndObject(); });
  }

  void BeginArray() override {
    if (Captured([](JsonSink& raw) { raw.BeginArray(); }, +1)) return;
    Slot slot = NextValue();
    if (!slot.whole_field && slot.kind == Kind::kMessage && slot.message->is_union) {
      slot = ChooseForm(slot, UnionForm::kArray, "an array");
    }
    if (slot.whole_field && slot.field->shape == Shape::kList) {
      ListClear(slot.address, *slot.field);
      return Push({Form::kList, nullptr, slot.field, slot.address, {}, 0});
    }
    if (slot.whole_field) Mismatch("an object", "an array");
    if (slot.kind == Kind::kRaw) return Capture(slot, [](JsonSink& raw) { raw.BeginArray(); }, +1);
    if (slot.kind == Kind::kStrings) {
      As<std::vector<std::string>>(slot.address).clear();
      return Push({Form::kList, nullptr, &kStringElement, slot.address, {}, 0});
    }
    Mismatch(Wanted(slot.kind), "an array");
  }

  void EndArray() override {
    Leave([](JsonSink& raw) { raw.EndArray(); });
  }

  void String(std::string_view text) override {
    Scalar(
        "a string", [&](JsonSink& sink) { sink.String(text); },
        [&](const Slot& slot) { return SetLeafFromString(slot.kind, slot.address, text); });
  }

  void Number(std::string_view text) override {
    Scalar(
        "a number", [&](JsonSink& sink) { sink.Number(text); },
        [&](const Slot& slot) { return SetLeafFromNumber(slot.kind, slot.address, text); });
  }

  void Bool(bool value) override {
    Scalar(
        "a boolean", [&](JsonSink& sink) { sink.Bool(value); },
        [&](const Slot& slot) {
          Slot target = slot;
          if (slot.kind == Kind::kMessage && slot.message->is_union) {
            target = ChooseForm(slot, UnionForm::kBool, "a boolean");
          }
          if (target.kind != Kind::kBool) return false;
          As<bool>(target.address) = value;
          return true;
        });
  }

  void Null() override {
    if (Captured([](JsonSink& raw) { raw.Null(); }, 0)) return;
    if (stack_.empty()) Mismatch("an object", "null");
    Frame& top = stack_.back();
    if (top.form == Form::kStruct) {
      if (member_.field) {
        ClearMember(member_.address, *member_.field);
        if (member_.field->nullable) Remember(top, "null");
      }
      Done();
      return;
    }
    if (top.field->defaults && !top.field->defaults->element.empty()) {
      return ReadJsonOrThrow(top.field->defaults->element, *this);
    }
    NullElement(top);
    Done();
  }

 private:
  enum class Form { kStruct, kList, kMap };
  struct Frame {
    Form form;
    const TypeInfo* type;  ///< of a struct
    const Field* field;    ///< of a list or map: what its elements are
    void* address;
    std::string key;
    std::size_t index;
  };
  /// Storage for the next value. For a list or map field as a whole, `whole_field` is set and the
  /// value has to be an array or an object.
  struct Slot {
    const Field* field = nullptr;
    void* address = nullptr;
    Kind kind = Kind::kMessage;
    const TypeInfo* message = nullptr;
    bool whole_field = false;
  };
  struct Member {
    const Field* field = nullptr;
    void* address = nullptr;
  };

  static constexpr Field kStringElement = {
      .name = {}, .kind = Kind::kString, .shape = Shape::kList};

  [[noreturn]] static void Mismatch(std::string_view wanted, std::string_view got) {
    throw DecodeFailure{std::string(got) + " where " + std::string(wanted) + " belongs"};
  }

  static std::string_view Wanted(Kind kind) {
    switch (kind) {
      case Kind::kBool:
        return "a boolean";
      case Kind::kInt32:
      case Kind::kInt64:
        return "an integer";
      case Kind::kDouble:
        return "a number";
      case Kind::kMessage:
        return "an object";
      case Kind::kStrings:
        return "an array of strings";
      case Kind::kIntOrString:
        return "an integer or a string";
      default:
        return "a string";
    }
  }

  void Push(Frame frame) {
    if (stack_.size() == kMaxDepth) throw DecodeFailure{"nested deeper than 100 levels"};
    stack_.push_back(std::move(frame));
  }

  template <typename Send>
  void Leave(Send send) {
    if (Captured(send, -1)) return;
    const Frame& top = stack_.back();
    if (top.form == Form::kMap) MapSort(top.address, *top.field);
    if (top.form != Form::kStruct && top.field->structural && IsZero(top.address, *top.field)) {
      const Frame& owner = stack_[stack_.size() - 2];
      if (owner.form == Form::kStruct) Remember(owner, top.form == Form::kList ? "[]" : "{}");
    }
    stack_.pop_back();
    Done();
  }

  /// A CRD's lists and maps may be absent, null or empty, and which of these is for others to see.
  /// A vector is only empty: what was said is kept beside it.
  static void Remember(const Frame& owner, std::string_view text) {
    UnknownOf(owner.address, *owner.type).SetJson(owner.key, text);
  }

  /// As upstream: null among elements is an element's zero value. Where a schema does not allow it,
  /// the API server drops it from a map.
  void NullElement(const Frame& top) {
    const TypeInfo* type = top.field->message;
    const Field* only = type && type->is_bare ? &type->fields.front() : nullptr;
    const bool allowed = !top.field->structural || (only && only->nullable);
    if (top.form == Form::kMap && !allowed) return;
    void* const element = NextSlot().address;
    if (only && only->nullable) UnknownOf(element, *type).SetJson("", "null");
  }

  /// A value is complete: the list that holds it, if one does, goes on with the next.
  void Done() {
    if (!stack_.empty() && stack_.back().form == Form::kList) ++stack_.back().index;
  }

  bool FindMember(const TypeInfo& type, void* object, std::string_view name) {
    for (const Field& field : type.fields) {
      if (field.shape == Shape::kInlined) {
        if (FindMember(*field.message, At(object, field), name)) return true;
      } else if (field.name == name) {
        member_ = {&field, At(object, field)};
        return true;
      }
    }
    return false;
  }

  static void ClearMember(void* member, const Field& field) {
    switch (field.shape) {
      case Shape::kOptional:
        return ResetOptional(member, field);
      case Shape::kList:
        return ListClear(member, field);
      case Shape::kMap:
        return MapClear(member, field);
      case Shape::kValue:
      case Shape::kInlined:
        return;  // as upstream: a value that cannot be absent keeps what it has
    }
  }

  /// Makes room for the value that comes next.
  Slot NextSlot() {
    if (stack_.empty()) return {nullptr, root_, Kind::kMessage, &root_type_, false};
    Frame& top = stack_.back();
    switch (top.form) {
      case Form::kList:
        budget_.Spend(ElementSize(*top.field));
        return {top.field, ListGrow(top.address, *top.field), top.field->kind, top.field->message,
                false};
      case Form::kMap:
        budget_.Spend(ElementSize(*top.field));
        return {top.field, MapAppend(top.address, *top.field, top.key), top.field->kind,
                top.field->message, false};
      case Form::kStruct:
        break;
    }
    return MemberSlot(*member_.field, member_.address);
  }

  /// The same, where the value is not null: a struct that stands for its one member has it take the
  /// value.
  Slot NextValue() {
    const Slot slot = NextSlot();
    if (slot.whole_field || slot.kind != Kind::kMessage || !slot.message->is_bare) return slot;
    const Field& only = slot.message->fields.front();
    return MemberSlot(only, At(slot.address, only));
  }

  Slot MemberSlot(const Field& field, void* address) {
    const bool whole = field.shape == Shape::kList || field.shape == Shape::kMap;
    if (field.shape == Shape::kOptional) {
      if (field.kind == Kind::kMessage) budget_.Spend(ElementSize(field));
      address = EmplaceOptional(address, field, /*keep=*/false);
    }
    return {&field, address, field.kind, field.message, whole};
  }

  /// The member of a union that takes this form of value. A union with a boolean form is true
  /// wherever it is something else.
  Slot ChooseForm(const Slot& slot, UnionForm form, std::string_view got) {
    const Field* chosen = nullptr;
    for (const Field& field : slot.message->fields) {
      if (field.union_form == form) chosen = &field;
      if (field.union_form == UnionForm::kBool) As<bool>(At(slot.address, field)) = true;
    }
    if (!chosen) Mismatch("another form", got);
    return MemberSlot(*chosen, At(slot.address, *chosen));
  }

  template <typename Send, typename Set>
  void Scalar(std::string_view got, Send send, Set set) {
    if (Captured(send, 0)) return;
    const Slot slot = NextValue();
    if (slot.whole_field)
      Mismatch(slot.field->shape == Shape::kList ? "an array" : "an object", got);
    if (slot.kind == Kind::kRaw) return Capture(slot, send, 0);
    if (!set(slot)) Mismatch(Wanted(slot.kind), got);
    Done();
  }

  /// Starts keeping a value as text. It ends with the value.
  template <typename Send>
  void Capture(const Slot& slot, Send send, int depth_change) {
    StartCapture(As<RawJson>(slot.address).raw);
    Captured(send, depth_change);
  }

  void StartCapture(std::string& into) {
    into.clear();
    capture_into_ = &into;
    capturing_ = true;
    writer_.emplace(into);
    capture_depth_ = 0;
  }

  /// Passes an event to the text being kept, if there is one.
  template <typename Send>
  bool Captured(Send send, int depth_change) {
    if (unknown_) {
      unknown_ = false;
      unknown_name_ = stack_.back().key;
      StartCapture(unknown_text_);
    }
    if (!capturing_) return false;
    capture_depth_ += depth_change;
    if (static_cast<int>(stack_.size()) + capture_depth_ > kMaxDepth) {
      throw DecodeFailure{"nested deeper than 100 levels"};
    }
    send(*writer_);
    if (capture_depth_ == 0) EndCapture();
    return true;
  }

  void EndCapture() {
    capturing_ = false;
    if (capture_into_ == &unknown_text_) {
      const Frame& top = stack_.back();
      UnknownOf(top.address, *top.type).AddJson(unknown_name_, unknown_text_);
    }
    Done();
  }

  const TypeInfo& root_type_;
  void* const root_;
  MemoryBudget budget_;
  std::vector<Frame> stack_;
  Member member_;         ///< what the last Key() of the struct on top named
  bool unknown_ = false;  ///< the last Key() named nothing the table has
  bool capturing_ = false;
  int capture_depth_ = 0;
  std::string* capture_into_ = nullptr;
  std::optional<JsonWriter> writer_;
  std::string unknown_name_;
  std::string unknown_text_;
};

ObjectSink::ObjectSink(const TypeInfo& type, void* object, std::size_t input_size)
    : impl_(std::make_unique<Impl>(type, object, input_size)) {}
ObjectSink::~ObjectSink() = default;
JsonSink& ObjectSink::sink() { return *impl_; }
std::string ObjectSink::Path() const { return impl_->Path(); }

Result<> DecodeJson(std::string_view text, const TypeInfo& type, void* object) {
  ObjectSink into(type, object, text.size());
  try {
    ReadJsonOrThrow(text, into.sink());
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, into.Path(), failure.message);
  }
}

}  // namespace flyball::api
