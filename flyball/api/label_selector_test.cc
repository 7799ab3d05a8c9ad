#include "flyball/api/label_selector.h"

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using Labels = std::map<std::string, std::string>;
using ::testing::ElementsAre;

Selector Parsed(std::string_view text) {
  auto selector = Selector::Parse(text);
  EXPECT_TRUE(selector) << (selector ? "" : selector.error().Describe());
  return selector.value_or(Selector::Nothing());
}

std::string Reprinted(std::string_view text) { return Parsed(text).ToString(); }

std::string Complaint(std::string_view text) {
  const auto selector = Selector::Parse(text);
  return selector ? "parsed as " + selector->ToString() : selector.error().Describe();
}

TEST(LabelSelector, PrintsByKeyAndKeepsTheSpellingOfOperators) {
  EXPECT_EQ(Reprinted("x>5,h, !g ,f notin (z),e in ( y , x ),c!=d,b==c,a=b,w<7"),
            "a=b,b==c,c!=d,e in (x,y),f notin (z),!g,h,w<7,x>5");
  EXPECT_EQ(Reprinted(""), "");
  EXPECT_EQ(Reprinted(" \t\r\n"), "");
}

TEST(LabelSelector, KeepsTheOrderOfRequirementsOfOneKey) {
  EXPECT_EQ(Reprinted("b,a=2,a!=1,a"), "a=2,a!=1,a,b");
}

TEST(LabelSelector, ReadsEmptyValuesAndCountsEachValueOnce) {
  EXPECT_EQ(Reprinted("a=,b"), "a=,b");
  EXPECT_EQ(Reprinted("a in ()"), "a in ()");
  EXPECT_EQ(Reprinted("a in (x,,x,)"), "a in (,x)");
  EXPECT_TRUE(Parsed("a in ()").Matches(Labels{{"a", ""}}));
  EXPECT_FALSE(Parsed("a in ()").Matches(Labels{}));
}

TEST(LabelSelector, TakesKeywordsForKeysAndValuesWhereNoOperatorCanBe) {
  EXPECT_EQ(Reprinted("in in (in,notin),notin=in,!notin"), "in in (in,notin),notin=in,!notin");
}

TEST(LabelSelector, SwallowsANulBehindATokenAsUpstreamDoes) {
  EXPECT_EQ(Reprinted(std::string_view("a\0=b", 4)), "a=b");
  EXPECT_EQ(Reprinted(std::string_view("a=b\0\0,,,", 8)), "a=b");
}

TEST(LabelSelector, NamesThePieceThatDoesNotParse) {
  EXPECT_EQ(Complaint("a=b,,c"),
            "malformed: label selector \"a=b,,c\", byte 4: found \",\", expected a label key");
  EXPECT_EQ(Complaint("a=b,"),
            "malformed: label selector \"a=b,\", byte 4: found the end, expected a label key");
  EXPECT_EQ(Complaint("a in (x y)"),
            "malformed: label selector \"a in (x y)\", byte 8: found \"y\", expected ',' or ')' in "
            "the list of values");
  EXPECT_EQ(Complaint("a in x"),
            "malformed: label selector \"a in x\", byte 5: found \"x\", expected '('");
  EXPECT_EQ(
      Complaint("a is b"),
      "malformed: label selector \"a is b\", byte 2: found \"is\", expected one of = == != in "
      "notin > <");
  EXPECT_EQ(Complaint("!a=b"),
            "malformed: label selector \"!a=b\", byte 2: found \"=\", expected ',' or the end");
  EXPECT_EQ(Complaint("a==!b"),
            "malformed: label selector \"a==!b\", byte 3: found \"!\", expected a value");
}

TEST(LabelSelector, HoldsKeysAndValuesToTheRulesOfLabels) {
  EXPECT_EQ(Complaint("a=b,-x=y"),
            "invalid: label selector \"a=b,-x=y\", byte 4: label key \"-x\": the name may hold "
            "letters, digits, '-', '_' and '.', and begins and ends with a letter or digit");
  EXPECT_EQ(Complaint("a=b/c"),
            "invalid: label selector \"a=b/c\", byte 0: label value \"b/c\": a value is empty, or "
            "holds letters, digits, '-', '_' and '.', and begins and ends with a letter or digit");
  EXPECT_EQ(Complaint("a>9223372036854775808"),
            "invalid: label selector \"a>9223372036854775808\", byte 0: label value "
            "\"9223372036854775808\": not a 64-bit decimal integer");
  EXPECT_FALSE(Selector::Parse("a>"));
}

TEST(LabelSelector, RequiresEveryRequirement) {
  const Selector selector = Parsed("app=web,tier in (front,back),!canary");
  EXPECT_TRUE(selector.Matches(Labels{{"app", "web"}, {"tier", "back"}}));
  EXPECT_FALSE(selector.Matches(Labels{{"app", "web"}, {"tier", "middle"}}));
  EXPECT_FALSE(selector.Matches(Labels{{"app", "web"}, {"tier", "back"}, {"canary", ""}}));
  EXPECT_FALSE(selector.Matches(Labels{{"tier", "back"}}));
}

TEST(LabelSelector, NegativeRequirementsHoldForAnAbsentLabel) {
  EXPECT_TRUE(Parsed("a!=b").Matches(Labels{}));
  EXPECT_TRUE(Parsed("a notin (b,c)").Matches(Labels{}));
  EXPECT_FALSE(Parsed("a notin (b,c)").Matches(Labels{{"a", "c"}}));
}

TEST(LabelSelector, ComparesNumbersAndNeverMatchesWhatIsNotOne) {
  EXPECT_TRUE(Parsed("n>5").Matches(Labels{{"n", "10"}}));
  EXPECT_TRUE(Parsed("n>5").Matches(Labels{{"n", "+010"}}));
  EXPECT_TRUE(Parsed("n<5").Matches(Labels{{"n", "-9223372036854775808"}}));
  for (const char* other : {"5", "", "ten", "+", "+-6", "6.0", " 6", "9223372036854775808"}) {
    EXPECT_FALSE(Parsed("n>5").Matches(Labels{{"n", other}})) << other;
  }
  EXPECT_FALSE(Parsed("n<5").Matches(Labels{}));
}

TEST(LabelSelector, FindsAValueInALongList) {
  std::vector<std::string> values;
  for (int i = 0; i < 40; ++i) values.push_back("v" + std::to_string(i));
  Selector selector;
  ASSERT_TRUE(selector.AddRequirement("a", LabelOperator::kIn, values));
  for (const std::string& value : values) EXPECT_TRUE(selector.Matches(Labels{{"a", value}}));
  EXPECT_FALSE(selector.Matches(Labels{{"a", "v40"}}));
  EXPECT_FALSE(selector.Matches(Labels{{"a", ""}}));
}

TEST(LabelSelector, ReadsLabelsWhereverTheyAreKept) {
  const Selector selector = Parsed("app=web,!gone");
  const std::map<std::string, std::string, std::less<>> transparent{{"app", "web"}};
  const std::vector<std::pair<std::string, std::string>> flat{{"a", "b"}, {"app", "web"}};
  const std::pair<std::string_view, std::string_view> views[] = {{"app", "web"}, {"z", ""}};
  struct Entry {
    std::string_view key, value;
  };
  const std::vector<Entry> entries{{"app", "web"}};
  const std::string web = "web";

  EXPECT_TRUE(selector.Matches(transparent));
  EXPECT_TRUE(selector.Matches(flat));
  EXPECT_TRUE(selector.Matches(std::span(views)));
  EXPECT_TRUE(selector.Matches(entries));
  EXPECT_TRUE(selector.Matches([](std::string_view key) -> std::optional<std::string_view> {
    if (key == "app") return "web";
    return std::nullopt;
  }));
  EXPECT_TRUE(
      selector.Matches([&](std::string_view key) { return key == "app" ? &web : nullptr; }));
  EXPECT_FALSE(selector.Matches(std::span(views).subspan(1)));
}

TEST(LabelSelector, EverythingAndNothingAreWhatTheySay) {
  EXPECT_TRUE(Selector::Everything().Matches(Labels{}));
  EXPECT_TRUE(Selector::Everything().SelectsEverything());
  EXPECT_FALSE(Selector::Everything().SelectsNothing());
  EXPECT_FALSE(Selector::Nothing().Matches(Labels{}));
  EXPECT_FALSE(Selector::Nothing().SelectsEverything());
  EXPECT_TRUE(Selector::Nothing().SelectsNothing());
  EXPECT_NE(Selector::Nothing(), Selector::Everything());

  Selector nothing = Selector::Nothing();
  ASSERT_TRUE(nothing.AddRequirement("a", LabelOperator::kDoesNotExist));
  EXPECT_EQ(nothing, Selector::Nothing());
}

TEST(LabelSelector, ChecksHowManyValuesAnOperatorTakes) {
  Selector selector;
  const auto path = [&](LabelOperator op, std::vector<std::string> values) {
    const auto added = selector.AddRequirement("a", op, std::move(values));
    return added ? "added" : added.error().path();
  };
  EXPECT_EQ(path(LabelOperator::kIn, {}), "values");
  EXPECT_EQ(path(LabelOperator::kNotIn, {}), "values");
  EXPECT_EQ(path(LabelOperator::kEquals, {"a", "b"}), "values");
  EXPECT_EQ(path(LabelOperator::kNotEquals, {}), "values");
  EXPECT_EQ(path(LabelOperator::kExists, {"a"}), "values");
  EXPECT_EQ(path(LabelOperator::kDoesNotExist, {""}), "values");
  EXPECT_EQ(path(LabelOperator::kGreaterThan, {"1", "2"}), "values");
  EXPECT_EQ(path(LabelOperator::kLessThan, {"one"}), "values[0]");
  EXPECT_EQ(path(LabelOperator::kIn, {"a", "b c"}), "values[1]");
  EXPECT_EQ(path(static_cast<LabelOperator>(99), {}), "operator");
  EXPECT_EQ(selector, Selector::Everything());
}

TEST(LabelSelector, TellsTheOneValueALabelMustHave) {
  const Selector selector = Parsed("a=1,b in (2),c in (3,4),d!=5,e,f==,g!=1,g=2");
  EXPECT_EQ(selector.RequiresExactMatch("a"), "1");
  EXPECT_EQ(selector.RequiresExactMatch("b"), "2");
  EXPECT_EQ(selector.RequiresExactMatch("f"), "");
  for (const char* key : {"c", "d", "e", "g", "h"}) {
    EXPECT_EQ(selector.RequiresExactMatch(key), std::nullopt) << key;
  }
  EXPECT_EQ(Selector::Nothing().RequiresExactMatch("a"), std::nullopt);
}

TEST(LabelSelector, SelectsByALabelSetWithoutJudgingIt) {
  const Selector selector = Selector::FromLabels(Labels{{"b", "not valid!"}, {"a", "1"}});
  EXPECT_EQ(selector.ToString(), "a=1,b=not valid!");
  EXPECT_TRUE(selector.Matches(Labels{{"a", "1"}, {"b", "not valid!"}, {"c", "2"}}));
  EXPECT_TRUE(Selector::FromLabels(Labels{}).SelectsEverything());
}

/// What the generator writes for the API's LabelSelector, as far as FromMessage looks at it.
struct Expression {
  std::string key;
  std::string operator_;
  std::vector<std::string> values;
};
struct Message {
  Labels matchLabels;
  std::vector<Expression> matchExpressions;
};

TEST(LabelSelectorMessage, NullSelectsNothingAndEmptySelectsEverything) {
  EXPECT_EQ(Selector::FromMessage(std::optional<Message>()), Selector::Nothing());
  EXPECT_EQ(Selector::FromMessage(std::unique_ptr<Message>()), Selector::Nothing());
  EXPECT_EQ(Selector::FromMessage(static_cast<const Message*>(nullptr)), Selector::Nothing());
  EXPECT_EQ(Selector::FromMessage(std::optional<Message>(Message())), Selector::Everything());
  EXPECT_EQ(Selector::FromMessage(Message()), Selector::Everything());
}

TEST(LabelSelectorMessage, JoinsLabelsAndExpressions) {
  const Message message{{{"b", "1"}, {"a", "2"}},
                        {{"b", "NotIn", {"y", "x", "y"}},
                         {"a", "Exists", {}},
                         {"c", "DoesNotExist", {}},
                         {"A", "In", {"z"}}}};
  const auto selector = Selector::FromMessage(message);
  ASSERT_TRUE(selector) << selector.error().Describe();
  EXPECT_EQ(selector->ToString(), "A in (z),a=2,a,b=1,b notin (x,y,y),!c");
  EXPECT_THAT(selector->requirements()[4].values(), ElementsAre("x", "y", "y"));
}

TEST(LabelSelectorMessage, NamesThePathOfWhatIsWrong) {
  const auto complaint = [](const Message& message) {
    const auto selector = Selector::FromMessage(message);
    return selector ? "accepted" : selector.error().path();
  };
  EXPECT_EQ(complaint({{{"a b", "1"}}, {}}), "matchLabels[\"a b\"]");
  EXPECT_EQ(complaint({{}, {{"a", "Exists", {}}, {"-", "Exists", {}}}}), "matchExpressions[1].key");
  EXPECT_EQ(complaint({{}, {{"a", "In", {"x", "?"}}}}), "matchExpressions[0].values[1]");
  for (const char* op : {"", "in", "Gt", "=", "Equals"}) {
    EXPECT_EQ(complaint({{}, {{"a", op, {"1"}}}}), "matchExpressions[0].operator") << op;
  }
}

/// A key that counts how often it is looked at.
struct CountedKey {
  std::string text;
  std::size_t* looks = nullptr;

  operator std::string_view() const {
    ++*looks;
    return text;
  }
};
struct CountedLabel {
  CountedKey key;
  std::string value;
};
class CountedLabels : public std::vector<CountedLabel> {};
class CountedMap : public CountedLabels {
 public:
  static constexpr bool kSortedByKey = true;
};

std::string NumberedKey(int number) { return "k" + std::to_string(1'000'000 + number); }

TEST(LabelSelectorCost, GrowsWithTheSumOfLabelsAndRequirements) {
  constexpr int kCount = 2'000;
  std::size_t looks = 0;
  CountedMap sorted;
  Selector exists;
  Selector absent;
  for (int i = 0; i < kCount; ++i) {
    sorted.push_back({{NumberedKey(2 * i), &looks}, ""});
    ASSERT_TRUE(exists.AddRequirement(NumberedKey(2 * i), LabelOperator::kExists));
    ASSERT_TRUE(absent.AddRequirement(NumberedKey(2 * i + 1), LabelOperator::kDoesNotExist));
  }
  CountedLabels reversed;
  reversed.assign(sorted.rbegin(), sorted.rend());
  const auto looks_of = [&](const Selector& selector, const auto& labels) {
    looks = 0;
    EXPECT_TRUE(selector.Matches(labels));
    return looks;
  };
  EXPECT_LE(looks_of(exists, sorted), 10 * kCount);
  EXPECT_LE(looks_of(absent, sorted), 10 * kCount);
  // What is in no order is put in order first.
  EXPECT_LE(looks_of(exists, reversed), 100 * kCount);
  EXPECT_LE(looks_of(absent, reversed), 100 * kCount);
  // A requirement or two of very many labels.
  EXPECT_LE(looks_of(Parsed("!a,!z"), sorted), 50);
}

// Each put where it belongs among those before it: 2 x 10^10 moves, beyond the time limit of tests.
TEST(LabelSelectorCost, RequirementsMayComeInReverseOrder) {
  constexpr int kCount = 200'000;
  Message message;
  std::string text;
  std::vector<std::pair<std::string, std::string>> labels;
  for (int i = kCount; i > 0; --i) {
    message.matchExpressions.push_back({NumberedKey(i), "DoesNotExist", {}});
    text += (text.empty() ? "!" : ",!") + NumberedKey(i);
    labels.emplace_back(NumberedKey(i), "");
  }
  const auto from_message = Selector::FromMessage(message);
  ASSERT_TRUE(from_message) << from_message.error().Describe();
  EXPECT_EQ(from_message->requirements().front().key(), NumberedKey(1));
  EXPECT_EQ(from_message->requirements().back().key(), NumberedKey(kCount));
  EXPECT_EQ(Parsed(text), *from_message);
  EXPECT_EQ(Selector::FromLabels(labels).requirements().front().key(), NumberedKey(1));
}

TEST(LabelSelector, ManyRequirementsMatchAsEachByItself) {
  std::mt19937 random(25);
  const auto key = [&] { return std::string(1, static_cast<char>('a' + random() % 26)); };
  constexpr LabelOperator kOperators[] = {LabelOperator::kIn, LabelOperator::kNotIn,
                                          LabelOperator::kExists, LabelOperator::kDoesNotExist};
  int matched = 0;
  for (int round = 0; round < 2'000; ++round) {
    Labels labels;
    for (std::size_t n = random() % 30; n > 0; --n) labels[key()] = random() % 2 != 0 ? "0" : "1";
    Selector selector;
    for (std::size_t n = random() % 30; n > 0; --n) {
      const LabelOperator op = kOperators[random() % 4];
      const bool set = op == LabelOperator::kIn || op == LabelOperator::kNotIn;
      std::string its = key();
      // Mostly such as hold, or none would ever match.
      if (random() % 16 != 0 && !set && labels.contains(its) != (op == LabelOperator::kExists)) {
        continue;
      }
      const auto values =
          set ? std::vector<std::string>{"0", "1", "2"} : std::vector<std::string>();
      if (op == LabelOperator::kIn && !labels.contains(its)) continue;
      if (op == LabelOperator::kNotIn && labels.contains(its)) continue;
      ASSERT_TRUE(selector.AddRequirement(its, op, values));
    }
    bool expected = true;
    for (const LabelRequirement& requirement : selector.requirements()) {
      const auto found = labels.find(requirement.key());
      expected &= requirement.Matches(
          found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second));
    }
    matched += expected ? 1 : 0;
    Map<std::string> map;
    std::vector<std::pair<std::string, std::string>> range;
    for (const auto& [name, value] : labels) {
      map[name] = value;
      range.emplace(range.begin(), name, value);
    }
    EXPECT_EQ(selector.Matches(labels), expected) << selector.ToString();
    EXPECT_EQ(selector.Matches(map), expected) << selector.ToString();
    EXPECT_EQ(selector.Matches(range), expected) << selector.ToString();
  }
  EXPECT_GT(matched, 200);
  EXPECT_LT(matched, 1'800);
}

}  // namespace
}  // namespace flyball::api
