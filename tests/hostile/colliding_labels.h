#pragma once

#include <string>
#include <utility>
#include <vector>

namespace flyball::hostile {

using Label = std::pair<std::string, std::string>;

/// Pairs of labels for a Service's selector and a pod, both in the namespace kCollidingNamespace.
/// An FNV-1a of 64 bits, begun with the namespace and the pairs before, is the same after both
/// labels of a pair. Services were once found by such a hash: each pair doubled the ways to the
/// Service, and 4 KB of labels took 4 GB.
inline constexpr const char* kCollidingNamespace = "shop";
inline std::vector<std::pair<Label, Label>> CollidingLabels() {
  constexpr std::pair<const char*, const char*> kCollidingValues[] = {
      {"zhe1y3uezrgungs", "f3iqnf7xos28t9t"}, {"zwi0kspwt1e8kkp", "98zinc06401ln00"},
      {"ssnqhc1gnw9tmmp", "mxvi350lfha08i9"}, {"6f3368x7ygau98h", "pv5l7a05zen3gmg"},
      {"s4qizhsf28fa38d", "e9gnpo1mzv160v4"}, {"xnts6qupigv5ri1", "whhtgbr6fh1lcrq"},
      {"sv9fys5duzvhlgv", "8oi6727gasm5muw"}, {"lkmxsggxr69abxb", "t6bncyp3diimyj1"},
      {"znqqto3b3unpvbp", "01p0e0ez1i10hx5"}, {"4oejzujit6b4mtt", "h9zh6c8nsx5oqm1"},
      {"58opi9u17x4epg3", "bfecmn5kp3fltz9"}, {"qt9cq1x4ot4w3r9", "98lwofadxlq196c"},
      {"ng6h9h3kjwbppb7", "aistw9eqqh77hfk"}, {"ox412bmmssotdoz", "pdr24jh1nvz42qa"},
      {"yond8qaepowbrhh", "r5q102z26n4dkk5"}, {"emvuqwppdwmyikr", "b2eoemr5ihqvpvf"},
      {"j9b9f4tts31ew28", "ro4n20nde5rt77s"}, {"hjl9ufckoxvdmok", "efdx7uic7k6uek1"},
      {"pc4ysvyfix8trtj", "ckbr2h939v9hdzz"}, {"q751mvxefs034ii", "v14a32y9ez15exd"},
      {"5zkp0jw741wup43", "1emixb0w5p2c3yb"}, {"74sz09qfkgbpuxz", "xezhvqs601pumqa"},
      {"y7qqgqsquels9n5", "2itj10xat20ihms"}, {"c2ni94j2poy5yjk", "ojhh438qrnn78ot"},
      {"dk86x1ssyav08au", "wnp69vxx4cnchez"}, {"bc0gziiy1t2r1c7", "xi00n1ck64j7856"},
  };
  std::vector<std::pair<Label, Label>> pairs;
  int number = 100;
  for (const auto& [a, b] : kCollidingValues) {
    const std::string key = "k" + std::to_string(number++).substr(1);
    pairs.push_back({{key + "a", a}, {key + "b", b}});
  }
  return pairs;
}

}  // namespace flyball::hostile
