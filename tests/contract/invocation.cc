#include "tests/contract/invocation.h"

#include <memory>
#include <ostream>
#include <sstream>

#include "flyball/base/fake_clock.h"
#include "flyball/base/log_sink.h"
#include "flyball/manager/command.h"

namespace flyball::contract {

Outcome Invoke(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const auto log = std::make_shared<StringLogSink>();
  const FakeClock clock;
  const auto run = [](const manager::Options&, const manager::flags::FlagSet&, const Logger&) {
    return Result<>();
  };
  const int status = manager::RunCommand(
      arguments, {.out = out, .err = err, .log = log, .clock = clock, .run = run});
  return {status, out.str(), err.str(), log->text()};
}

std::map<std::string, ShownFlag> ParseHelp(const std::string& help) {
  constexpr std::string_view kDefault = " (default ";
  std::map<std::string, ShownFlag> flags;
  std::string section;
  std::string name;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(" flags:")) section = line.substr(0, line.size() - 7);
    if (const std::size_t dashes = line.find("--"); dashes == 6) {
      std::istringstream words(line.substr(dashes + 2, line.find("   ", dashes) - dashes - 2));
      std::string type;
      words >> name >> type;
      flags[name] = {section, type.empty() ? "bool" : type, {}};
    }
    // A usage may have several lines, of which the last has the default. Those of the gates have
    // defaults of their own.
    const std::size_t mark = line.rfind(kDefault);
    if (mark == std::string::npos || !line.ends_with(')') || name == "feature-gates") continue;
    const std::size_t start = mark + kDefault.size();
    flags[name].default_value = line.substr(start, line.size() - start - 1);
  }
  return flags;
}

}  // namespace flyball::contract
