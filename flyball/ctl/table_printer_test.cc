#include "flyball/ctl/table_printer.h"

#include "flyball/api/time.h"
#include "flyball/ctl/tab_writer.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using api::Json;

const Json kTable = *Json::Parse(R"({
  "columnDefinitions": [{"name":"Name","type":"string","format":"name"},
                        {"name":"Ready","type":"integer"},
                        {"name":"Node","type":"string","priority":1},
                        {"name":"Message","type":"string"}],
  "rows": [{"cells":["a",1,"n1","one"],
            "object":{"metadata":{"namespace":"x","labels":{"app":"web","k8s.io/tier":"front"}}}},
           {"cells":["b",null,"n2","two\nlines"],"object":{"metadata":{"namespace":"y"}}}]})");

std::string PrintTable(TablePrinter::Options options, const Json& table = kTable) {
  return TabWriter::ForTables().Align(TablePrinter(std::move(options)).Print(table));
}

TEST(TablePrinter, ShowsWhatTheServerMade) {
  EXPECT_EQ(PrintTable({}),
            "NAME   READY   MESSAGE\n"
            "a      1       one\n"
            "b              two...\n");
}

TEST(TablePrinter, WideShowsEveryColumn) {
  EXPECT_EQ(PrintTable({.wide = true, .no_headers = true}),
            "a     1     n1    one\n"
            "b           n2    two...\n");
}

TEST(TablePrinter, AddsWhatItIsAskedFor) {
  EXPECT_EQ(PrintTable({.with_namespace = true,
                        .show_labels = true,
                        .label_columns = {"k8s.io/tier"},
                        .kind = "pod"}),
            "NAMESPACE   NAME    READY   MESSAGE     TIER    LABELS\n"
            "x           pod/a   1       one         front   app=web,k8s.io/tier=front\n"
            "y           pod/b           two...              <none>\n");
}

TEST(TablePrinter, TheSameColumnsHaveOneHeader) {
  TablePrinter printer({});
  EXPECT_EQ(printer.Print(*Json::Parse(R"({"columnDefinitions":[{"name":"A"}],"rows":[]})")), "");
  EXPECT_EQ(printer.Print(*Json::Parse(R"({"rows":[{"cells":["1"]}]})")), "A\n1\n");
  EXPECT_EQ(printer.Print(*Json::Parse(R"({"rows":[{"cells":["2"]}]})")), "2\n");
  EXPECT_EQ(printer.Print(
                *Json::Parse(R"({"columnDefinitions":[{"name":"B"}],"rows":[{"cells":["3"]}]})")),
            "B\n3\n");
}

TEST(TablePrinter, OfAServerWithoutTablesNamesAndAgesAreShown) {
  const WallTime now = api::Time::Parse("2026-01-01T00:01:00Z")->ToWallTime();
  const auto list = Json::Parse(R"({"kind":"WidgetList","items":[
      {"metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z"}},
      {"metadata":{"name":"b"}}]})");
  EXPECT_EQ(PrintTable({}, PlainTable(*list, now)),
            "NAME   AGE\n"
            "a      60s\n"
            "b      <unknown>\n");
  EXPECT_EQ(PrintTable({}, PlainTable(list->Find("items")->If<Json::Array>()->front(), now)),
            "NAME   AGE\n"
            "a      60s\n");
}

}  // namespace
}  // namespace flyball::ctl
