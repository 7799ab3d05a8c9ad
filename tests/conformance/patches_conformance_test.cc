// Every case that patches/ wrote, answered by our code. What the fields are stands there.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "flyball/api/json_patch.h"
#include "flyball/api/merge_patch.h"
#include "flyball/api/registry.h"
#include "flyball/api/strategic_merge.h"
#include "tests/conformance/cases.h"

namespace flyball::api {
namespace {

/// What upstream said, or what we say: a document, or why there is none.
struct Answer {
  std::string refused;
  std::string text;

  friend bool operator==(const Answer&, const Answer&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
    return out << (answer.refused.empty() ? answer.text : "refused: " + answer.refused);
  }
};

Answer TakeAnswer(conformance::Fields& fields) {
  Answer answer;
  answer.refused = fields.Text();
  answer.text = fields.Text();
  return answer;
}

/// Upstream walks maps in any order, so that it may have several answers.
std::vector<Answer> TakeAnswers(conformance::Fields& fields) {
  std::vector<Answer> answers(fields.Number<std::size_t>());
  for (Answer& answer : answers) answer = TakeAnswer(fields);
  return answers;
}

/// Which of upstream's refusals an error is. A panic there is a refusal here.
std::string Refusal(const Error& error) {
  EXPECT_FALSE(error.message().empty());
  if (error.code() == ErrorCode::kConflict) return "conflict";
  if (error.code() == ErrorCode::kForbidden) return "precondition";
  return "refused";
}

Answer Ours(const Result<Json>& result) {
  if (!result) return {.refused = Refusal(result.error()), .text = ""};
  return {.refused = "", .text = result->ToString()};
}

/// Ours must be one of upstream's answers. Of a conflict and a refusal either may be found first.
void ExpectOneOf(const Result<Json>& result, std::vector<Answer> answers) {
  Answer ours = Ours(result);
  for (Answer& answer : answers) {
    if (answer.refused == "panic") answer.refused = "refused";
    if (answer.refused == "refused" && ours.refused == "conflict") ours.refused = "refused";
  }
  if (std::ranges::find(answers, ours) != answers.end()) return;
  ADD_FAILURE() << "upstream: " << answers.front() << "\n    ours: " << ours
                << (result ? "" : " (" + result.error().Describe() + ")");
}

class PatchConformance : public conformance::CasesTest {
 protected:
  static const TypeInfo& TakeKind(conformance::Fields& fields) {
    const std::string api_version(fields.Raw());
    const TypeInfo* type = FindKind(api_version, fields.Raw());
    EXPECT_NE(type, nullptr);
    return *type;
  }
  static Json TakeJson(conformance::Fields& fields) {
    const std::string text = fields.Text();
    SCOPED_TRACE(text);
    const auto json = Json::Parse(text);
    EXPECT_TRUE(json);
    return json.value_or(Json());
  }
};

const UntouchedFields kUntouched = {"kind", "status", "metadata.name"};

TEST_F(PatchConformance, MakesStrategicMergePatchesAsUpstream) {
  int refused = 0;
  const int count = ForEach("D", [&](std::size_t, conformance::Fields& fields) {
    const TypeInfo& type = TakeKind(fields);
    const Json from = TakeJson(fields);
    const Json to = TakeJson(fields);
    const bool guarded = fields.Flag();
    const std::vector<Answer> answers = TakeAnswers(fields);
    if (!answers.front().refused.empty()) ++refused;
    SCOPED_TRACE(from.ToString() + "\n      to: " + to.ToString());
    ExpectOneOf(guarded ? CreateStrategicMergePatch(from, to, type, kUntouched)
                        : CreateStrategicMergePatch(from, to, type),
                answers);
  });
  std::cout << count << " pairs, " << refused << " without a patch\n";
  EXPECT_GE(count, 3500);
  EXPECT_GE(refused, 300);
}

TEST_F(PatchConformance, AppliesStrategicMergePatchesAsUpstream) {
  int refused = 0;
  int undecided = 0;
  const int count = ForEach("A", [&](std::size_t, conformance::Fields& fields) {
    const TypeInfo& type = TakeKind(fields);
    const Json document = TakeJson(fields);
    const Json patch = TakeJson(fields);
    const std::vector<Answer> answers = TakeAnswers(fields);
    if (!answers.front().refused.empty()) ++refused;
    if (answers.size() > 1) ++undecided;
    SCOPED_TRACE(document.ToString() + "\n   patch: " + patch.ToString());
    ExpectOneOf(ApplyStrategicMergePatch(document, patch, type), answers);
  });
  std::cout << count << " patches, " << refused << " refused, " << undecided
            << " with several answers\n";
  EXPECT_GE(count, 7500);
  EXPECT_GE(refused, 1500);
}

TEST_F(PatchConformance, MakesThreeWayPatchesAsUpstream) {
  int refused = 0;
  int sorted = 0;
  const int count = ForEach("T", [&](std::size_t, conformance::Fields& fields) {
    const TypeInfo& type = TakeKind(fields);
    ThreeWay documents;
    documents.original = TakeJson(fields);
    documents.modified = TakeJson(fields);
    documents.current = TakeJson(fields);
    const auto on_conflict = fields.Flag() ? OnConflict::kOverwrite : OnConflict::kFail;
    const bool guarded = fields.Flag();
    if (fields.Flag()) ++sorted;
    const std::vector<Answer> answers = TakeAnswers(fields);
    if (!answers.front().refused.empty()) ++refused;
    SCOPED_TRACE(documents.original.ToString() + "\nmodified: " + documents.modified.ToString() +
                 "\n current: " + documents.current.ToString());
    ExpectOneOf(guarded ? CreateThreeWayMergePatch(documents, type, on_conflict, kUntouched)
                        : CreateThreeWayMergePatch(documents, type, on_conflict),
                answers);
  });
  std::cout << count << " three-way patches, " << refused << " refused, " << sorted
            << " that upstream sorts and we do not\n";
  EXPECT_GE(count, 1800);
  EXPECT_GE(refused, 200);
  EXPECT_GT(sorted, 0);
}

/// Which of the API server's answers to a JSON patch an error stands for.
std::string JsonRefusal(const Error& error) {
  EXPECT_FALSE(error.message().empty());
  if (error.code() == ErrorCode::kMalformed) return "malformed";
  if (error.code() == ErrorCode::kTooLarge) return "many";
  if (error.code() == ErrorCode::kConflict) return "test";
  return "refused";
}

TEST_F(PatchConformance, AppliesJsonPatchesAsUpstream) {
  int refused = 0;
  int different = 0;
  const int count = ForEach("J", [&](std::size_t, conformance::Fields& fields) {
    const Json document = TakeJson(fields);
    const std::string patch = fields.Text();
    if (fields.Flag()) ++different;
    const Answer upstream = TakeAnswer(fields);
    if (!upstream.refused.empty()) ++refused;

    Answer ours;
    const auto parsed = JsonPatch::Parse(patch);
    const auto patched = parsed ? parsed->Apply(document) : std::unexpected(parsed.error());
    if (patched) {
      ours.text = patched->ToString();
    } else {
      ours.refused = JsonRefusal(patched.error());
    }
    // Upstream meets an operation that is none only when it gets there, and panics at a test of the
    // document that names no value.
    const bool late = upstream.refused == "test" && ours.refused == "refused" && !parsed;
    const bool panic = upstream.refused == "panic" && !ours.refused.empty();
    if (late || panic) return;
    EXPECT_EQ(ours, upstream) << document.ToString() << "\n   patch: " << patch.substr(0, 1000)
                              << "\n"
                              << (patched ? "" : patched.error().Describe());
  });
  std::cout << count << " JSON patches, " << refused << " refused, " << different
            << " where we differ on purpose\n";
  EXPECT_GE(count, 2500);
  EXPECT_GE(refused, 500);
  EXPECT_GT(different, 0);
}

TEST_F(PatchConformance, AppliesMergePatchesAsUpstream) {
  int different = 0;
  const int count = ForEach("M", [&](std::size_t, conformance::Fields& fields) {
    const Json document = TakeJson(fields);
    const Json patch = TakeJson(fields);
    if (fields.Flag()) ++different;
    const Answer upstream = TakeAnswer(fields);
    const std::string ours = ApplyMergePatch(document, patch).ToString();
    if (upstream.refused.empty()) {
      EXPECT_EQ(ours, upstream.text) << document.ToString() << "\n   patch: " << patch.ToString();
      return;
    }
    // Upstream refuses what is not an object or a list; RFC 7386 says what it means.
    ++different;
    EXPECT_TRUE(document.IsNull() || !patch.If<Json::Object>()) << patch.ToString();
    if (!patch.If<Json::Object>()) {
      EXPECT_EQ(ours, patch.ToString());
    }
  });
  std::cout << count << " merge patches, " << different << " where we differ on purpose\n";
  EXPECT_GE(count, 1500);
  EXPECT_GT(different, 0);
}

TEST_F(PatchConformance, MakesMergePatchesAsUpstream) {
  int different = 0;
  const int count = ForEach("C", [&](std::size_t, conformance::Fields& fields) {
    const Json from = TakeJson(fields);
    const Json to = TakeJson(fields);
    const bool wrong = fields.Flag();
    const Answer upstream = TakeAnswer(fields);
    const auto ours = CreateMergePatch(from, to);
    SCOPED_TRACE(from.ToString() + "\n      to: " + to.ToString());
    if (!from.If<Json::Object>() || !to.If<Json::Object>()) {
      if (upstream.refused.empty()) ++different;
      EXPECT_FALSE(ours);
      return;
    }
    if (!wrong) return ExpectOneOf(ours, {upstream});
    // A patch that does not lead there is worse than none.
    ++different;
    if (ours) {
      EXPECT_NE(ours->ToString(), upstream.text);
      EXPECT_EQ(ApplyMergePatch(from, *ours), to);
    }
  });
  std::cout << count << " differences, " << different << " where we differ on purpose\n";
  EXPECT_GE(count, 1500);
  EXPECT_GT(different, 0);
}

}  // namespace
}  // namespace flyball::api
