#include "tests/faults/slice_invariants.h"

#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using discovery::v1::EndpointSlice;
using testing::ElementsAre;
using testing::IsEmpty;

class SliceInvariantsTest : public testing::Test {
 protected:
  /// Each pod is its own address.
  void Tell(const std::string& name, const std::vector<std::string>& pods,
            const std::string& manager = "ours") {
    EndpointSlice slice;
    slice.metadata.name = name;
    slice.metadata.labels = {{"endpointslice.kubernetes.io/managed-by", manager},
                             {"kubernetes.io/service-name", "web"}};
    for (const std::string& pod : pods) {
      auto& endpoint = slice.endpoints.emplace_back();
      endpoint.addresses = {pod};
      endpoint.targetRef.emplace().name = pod;
    }
    invariants_.TellOfSlice(name, slice);
  }

  std::vector<std::string> violations_;
  SliceInvariants invariants_{violations_};
};

TEST_F(SliceInvariantsTest, AnAddressIsInOneSlice) {
  Tell("x", {"a", "b"});
  Tell("y", {"c"});
  Tell("z", {"a"}, "another");
  EXPECT_THAT(violations_, IsEmpty());
  Tell("y", {"c", "a"});
  EXPECT_THAT(violations_, ElementsAre("slice y is written: service web has a twice"));
}

TEST_F(SliceInvariantsTest, APodThatNobodyChangesStays) {
  Tell("x", {"a", "b"});
  Tell("x", {"a"});
  Tell("x", {"a", "b", "c"});
  EXPECT_THAT(violations_, IsEmpty()) << "it was not quiet yet";
  invariants_.Checkpoint();
  invariants_.TellOfPod("c");
  Tell("x", {"a", "b"});
  EXPECT_THAT(violations_, IsEmpty());
  Tell("x", {"a"});
  EXPECT_THAT(violations_, ElementsAre("pod b is in no slice of service web any more"));
}

TEST_F(SliceInvariantsTest, ASliceThatGoesTakesNobodyWithIt) {
  Tell("x", {"a"});
  invariants_.Checkpoint();
  invariants_.TellOfSlice("x", std::nullopt);
  EXPECT_THAT(violations_, ElementsAre("pod a is in no slice of service web any more"));
}

TEST_F(SliceInvariantsTest, AServiceThatIsChangedMayLoseThemAll) {
  Tell("x", {"a"});
  invariants_.Checkpoint();
  invariants_.TellOfService("web");
  Tell("x", {});
  EXPECT_THAT(violations_, IsEmpty());
}

}  // namespace
}  // namespace flyball::faults
