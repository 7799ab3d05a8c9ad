#include "tests/scenario/made_up.h"

#include <algorithm>
#include <cctype>

#include "flyball/api/time.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::scenario {
namespace {

using namespace std::chrono_literals;

bool IsUid(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string ReplaceUids(std::string_view text,
                        const std::function<std::string(const std::string& uid)>& stand_in) {
  constexpr std::size_t kLength = 36;
  std::string replaced;
  while (text.size() >= kLength) {
    if (text[8] == '-' && IsUid(text.substr(0, kLength))) {
      replaced += stand_in(std::string(text.substr(0, kLength)));
      text.remove_prefix(kLength);
    } else {
      replaced += text.front();
      text.remove_prefix(1);
    }
  }
  return replaced += text;
}

bool IsRecentMoment(const std::string& text, WallTime now) {
  if (text.size() < 20 || text[4] != '-' || text[10] != 'T') return false;
  const auto time = api::Time::Parse(text);
  if (!time) return false;
  const auto distance = *time - api::Time(now);
  return distance < 2h && distance > -2h;
}

void SortManagers(api::Json::Array& entries) {
  const auto operation = [](const api::Json& entry) { return TextAt(entry, "operation"); };
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first, entries.end(), [&](const api::Json& entry) {
      return operation(entry) != operation(*first);
    });
    std::ranges::sort(first, last, {}, [](const api::Json& entry) { return entry.ToString(); });
    first = last;
  }
}

}  // namespace flyball::scenario
