// Every case that events/ wrote, answered by our code. What the fields are stands there.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/runtime/core_event_recorder.h"
#include "flyball/runtime/event_correlator.h"
#include "flyball/runtime/event_name.h"
#include "flyball/runtime/event_series.h"
#include "tests/conformance/cases.h"

namespace flyball::runtime {
namespace {

using core::v1::Event;

template <typename T>
T Decode(const std::string& text) {
  auto object = api::DecodeJson<T>(text);
  EXPECT_TRUE(object.has_value()) << text;
  return object.value_or(T());
}

WallTime WallAt(std::int64_t nanoseconds) {
  return WallTime(std::chrono::nanoseconds(nanoseconds));
}

/// For names that upstream draws by lot: ours must look alike.
std::uint64_t SomeBits() { return 0x0123456789abcdef; }

class EventConformance : public conformance::CasesTest {
 protected:
  /// Which text of a name that was drawn by lot is as good as any other.
  static std::string LessRandomName(const std::string& name) {
    static const std::regex uuid(
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    return std::regex_match(name, uuid) ? "" : name;
  }
};

/// The sequences, in the order of the file. What came of them:
struct Tally {
  int events = 0;
  int dropped = 0;
  int combined = 0;
  int patches = 0;
  int let_through = 0;  ///< the first of a reason, which upstream drops
};

class Sequences {
 public:
  void Begin(conformance::Fields& fields) {
    EventCorrelator::Options options;
    options.memory = fields.Number<std::size_t>();
    options.combined_from = fields.Number<std::size_t>();
    options.combined_within = std::chrono::seconds(fields.Number());
    options.burst = fields.Number<int>();
    options.refill_per_second = 1.0F / static_cast<float>(fields.Number());
    correlator_ = std::make_unique<EventCorrelator>(options);
  }

  void Learn(conformance::Fields& fields) { correlator_->Learn(Decode<Event>(fields.Text())); }

  void Check(conformance::Fields& fields) {
    const std::chrono::nanoseconds at(fields.Number());
    const std::string event = fields.Text();
    const bool reason_known = fields.Flag();
    const bool dropped = fields.Flag();
    const std::string becomes = fields.Text();
    const std::string patch = fields.Text();
    SCOPED_TRACE(event);

    const auto write = correlator_->Correlate(Decode<Event>(event), {WallTime(at), SteadyTime(at)});
    ++tally.events;
    const bool let_through = dropped && !reason_known;
    if (dropped && !let_through) {
      ++tally.dropped;
      EXPECT_FALSE(write.has_value());
      return;
    }
    ASSERT_TRUE(write.has_value());
    EXPECT_EQ(api::EncodeJson(write->event), becomes);
    tally.combined += write->event.message.starts_with("(combined") ? 1 : 0;
    tally.patches += write->patch.empty() ? 0 : 1;
    if (let_through) {
      ++tally.let_through;
      EXPECT_EQ(write->patch.empty(), write->event.count == 1);
    } else {
      EXPECT_EQ(write->patch, patch);
    }
  }

  Tally tally;

 private:
  std::unique_ptr<EventCorrelator> correlator_;
};

TEST_F(EventConformance, CorrelatesAsUpstreamButForTheFirstOfAReason) {
  Sequences sequences;
  for (std::size_t i = 0; i < lines().size() && Complaints() < 20; ++i) {
    conformance::Fields fields(lines()[i]);
    const std::string_view letter = fields.Raw();
    SCOPED_TRACE("case " + std::to_string(i));
    if (letter == "S") sequences.Begin(fields);
    if (letter == "E") sequences.Check(fields);
    if (letter == "U") sequences.Learn(fields);
  }
  const Tally& tally = sequences.tally;
  std::cout << tally.events << " events: " << tally.dropped << " dropped, " << tally.combined
            << " combined, " << tally.patches << " counted up, " << tally.let_through
            << " let through that upstream drops\n";
  EXPECT_GE(tally.events, 18000);
  EXPECT_GE(tally.dropped, 500);
  EXPECT_GE(tally.combined, 1000);
  EXPECT_GE(tally.patches, 1000);
  EXPECT_GE(tally.let_through, 100);
}

core::v1::ObjectReference ReferenceFrom(std::string_view kind, const std::string& object) {
  if (kind == "Pod") return ReferenceTo(Decode<core::v1::Pod>(object));
  if (kind == "Node") return ReferenceTo(Decode<core::v1::Node>(object));
  if (kind == "Deployment") return ReferenceTo(Decode<apps::v1::Deployment>(object));
  return ReferenceTo(Decode<core::v1::ObjectReference>(object));
}

TEST_F(EventConformance, FillsInEventsAsUpstream) {
  const int count = ForEach("R", [](std::size_t, conformance::Fields& fields) {
    const std::string_view kind = fields.Raw();
    Occurrence occurrence;
    occurrence.about = ReferenceFrom(kind, fields.Text());
    occurrence.type = fields.Raw() == "Normal" ? EventType::kNormal : EventType::kWarning;
    occurrence.reason = fields.Raw();
    occurrence.message = fields.Text();
    const auto annotations = api::Json::Parse(fields.Text());
    if (const auto* members = annotations->If<api::Json::Object>()) {
      for (const auto& [key, value] : *members) {
        occurrence.annotations[key] = *value.If<std::string>();
      }
    }
    EventOrigin origin;
    origin.component = fields.Raw();
    origin.host = fields.Text();
    Event event = MakeEvent(occurrence, origin, WallAt(fields.Number()), SomeBits);
    event.metadata.name = LessRandomName(event.metadata.name);
    EXPECT_EQ(api::EncodeJson(event), fields.Text());
  });
  EXPECT_GE(count, 300);
}

TEST_F(EventConformance, NamesEventsAsUpstream) {
  const int count = ForEach("N", [](std::size_t, conformance::Fields& fields) {
    const std::string object = fields.Text();
    const std::string name = EventName(object, WallAt(fields.Number()), SomeBits);
    EXPECT_EQ(LessRandomName(name), fields.Text());
  });
  EXPECT_GE(count, 50);
}

TEST_F(EventConformance, PatchesSeriesAsUpstream) {
  const int count = ForEach("P", [](std::size_t, conformance::Fields& fields) {
    const auto event = Decode<events::v1::Event>(fields.Text());
    EXPECT_EQ(SeriesPatch(event), fields.Text());
  });
  EXPECT_GE(count, 50);
}

}  // namespace
}  // namespace flyball::runtime
