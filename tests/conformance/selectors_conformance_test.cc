// Every case that selectors/main.go wrote, answered by our code. The format stands there.
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/field_selector.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/label_validation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using Case = std::vector<std::string>;
using Labels = std::map<std::string, std::string>;

constexpr std::string_view kProbes[] = {"a", "app", "in", "metadata.name", "n", ""};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<Case> Decode(std::string_view line) {
  Case fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.emplace_back();
      continue;
    }
    if (i + 1 == line.size()) return std::nullopt;
    const int high = HexDigit(line[i]);
    const int low = HexDigit(line[++i]);
    if (high < 0 || low < 0) return std::nullopt;
    fields.back().push_back(static_cast<char>(high * 16 + low));
  }
  return fields;
}

/// The API's LabelSelector, as far as Selector::FromMessage looks at it.
struct Expression {
  std::string key;
  std::string operator_;
  std::vector<std::string> values;
};
struct Message {
  Labels matchLabels;
  std::vector<Expression> matchExpressions;
};

/// What upstream says of a case and what we say, as one text each.
struct Answer {
  std::string upstream;
  std::string ours;
};

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part).push_back('\n');
  return text;
}

class SelectorConformance : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(FLYBALL_CASES, std::ios::binary);
    if (!file) {
      const char* const ci = std::getenv("CI");
      if (ci != nullptr && std::string_view(ci) == "true") {
        FAIL() << "no " FLYBALL_CASES ", and CI does not skip";
      }
      GTEST_SKIP() << "skipped: needs Go 1.26 (no " FLYBALL_CASES ")";
    }
    for (std::string line; std::getline(file, line);) {
      auto fields = Decode(line);
      ASSERT_TRUE(fields) << "not hex: " << line;
      if (fields->front() == "set") {
        Labels& set = sets_.emplace_back();
        for (std::size_t i = 1; i + 1 < fields->size(); i += 2) {
          set.emplace((*fields)[i], (*fields)[i + 1]);
        }
      } else {
        cases_[fields->front()].push_back(*std::move(fields));
      }
    }
  }

  /// Compares all cases of a kind; prints how many there were, and fails if there were none.
  template <class Function>
  void CompareAll(const std::string& kind, Function answer) {
    ASSERT_FALSE(sets_.empty());
    const std::vector<Case>& cases = cases_[kind];
    std::size_t different = 0;
    for (const Case& each : cases) {
      const Answer got = answer(each);
      if (got.ours == got.upstream) continue;
      // The first few tell what is wrong; the rest are counted.
      if (++different > 20) continue;
      ADD_FAILURE() << kind << " " << QuoteForMessage(each[1])
                    << "\n  upstream: " << QuoteForMessage(got.upstream)
                    << "\n  ours:     " << QuoteForMessage(got.ours);
    }
    std::cout << "compared " << cases.size() << " cases of kind " << kind << ", " << different
              << " different\n";
    EXPECT_EQ(different, 0u);
    EXPECT_GT(cases.size(), 0u) << "no cases: the comparison proves nothing";
  }

  /// A 0 or 1 a set. Labels are read as a map and as a span of views, which must agree.
  template <class AnySelector>
  std::string MatchAll(const AnySelector& selector) const {
    std::string bits;
    for (const Labels& set : sets_) {
      const std::vector<std::pair<std::string_view, std::string_view>> views(set.begin(),
                                                                             set.end());
      const bool matched = selector.Matches(set);
      EXPECT_EQ(selector.Matches(std::span(views)), matched) << selector.ToString();
      bits.push_back(matched ? '1' : '0');
    }
    return bits;
  }

  template <class AnySelector>
  static std::string ProbeAll(const AnySelector& selector) {
    std::string answers;
    for (std::size_t i = 0; i < std::size(kProbes); ++i) {
      if (i > 0) answers.push_back('\0');
      const auto value = selector.RequiresExactMatch(kProbes[i]);
      answers.append(value ? "=" + std::string(*value) : "-");
    }
    return answers;
  }

  /// Cases `kind text verdict printed matches exact`.
  template <class AnySelector>
  Answer AnswerText(const Case& each) const {
    const auto selector = AnySelector::Parse(each[1]);
    if (!selector) {
      EXPECT_NE(selector.error().message(), "");
      return {Join({each[2], each[3], each[4], each[5]}), Join({"error", "", "", ""})};
    }
    return {Join({each[2], each[3], each[4], each[5]}),
            Join({"ok", selector->ToString(), MatchAll(*selector), ProbeAll(*selector)})};
  }

  std::vector<Labels> sets_;
  std::map<std::string, std::vector<Case>> cases_;
};

TEST_F(SelectorConformance, ReadsPrintsAndMatchesLabelSelectorsAsUpstream) {
  CompareAll("label", [&](const Case& each) { return AnswerText<Selector>(each); });
}

TEST_F(SelectorConformance, ReadsBackTheLabelSelectorsItPrints) {
  for (const Case& each : cases_["label"]) {
    const auto selector = Selector::Parse(each[1]);
    if (!selector) continue;
    EXPECT_EQ(Selector::Parse(selector->ToString()), selector) << selector->ToString();
  }
}

TEST_F(SelectorConformance, ReadsPrintsAndMatchesFieldSelectorsAsUpstream) {
  CompareAll("field", [&](const Case& each) { return AnswerText<FieldSelector>(each); });
}

TEST_F(SelectorConformance, ConvertsTheStructuredFormAsUpstream) {
  CompareAll("message", [&](const Case& each) {
    std::optional<Message> message;
    std::size_t at = 1;
    if (each[at++] == "set") message.emplace();
    for (int n = std::stoi(each[at++]); n > 0; --n, at += 2) {
      message->matchLabels.emplace(each[at], each[at + 1]);
    }
    while (each.size() - at > 4) {
      Expression& expression = message->matchExpressions.emplace_back();
      expression.key = each[at++];
      expression.operator_ = each[at++];
      for (int n = std::stoi(each[at++]); n > 0; --n) expression.values.push_back(each[at++]);
    }
    EXPECT_EQ(each[at], "end");
    const auto selector = Selector::FromMessage(message);
    return Answer{Join({each[at + 1], each[at + 2], each[at + 3]}),
                  selector ? Join({"ok", selector->ToString(), MatchAll(*selector)})
                           : Join({"error", "", ""})};
  });
}

TEST_F(SelectorConformance, JudgesNamesAsUpstream) {
  const std::map<std::string, Result<> (*)(std::string_view)> rules{
      {"qualified name", ValidateQualifiedName},
      {"label value", ValidateLabelValue},
      {"dns label", ValidateDns1123Label},
      {"dns subdomain", ValidateDns1123Subdomain},
  };
  CompareAll("rule", [&](const Case& each) {
    const bool valid = rules.at(each[1])(each[2]).has_value();
    return Answer{Join({each[3], each[2]}), Join({valid ? "ok" : "error", each[2]})};
  });
}

}  // namespace
}  // namespace flyball::api
