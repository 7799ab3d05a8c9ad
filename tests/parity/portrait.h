#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/clock.h"
#include "tests/parity/world.h"

namespace flyball::parity {

/// Shows what there is of a scenario such that two runs that went alike look the same: object by
/// object, with stand-ins for what no two runs have in common.
///
///   uids                 "<uid of secrets/token>"; of what is gone, "<uid of ..., gone>"
///   generated names      "web-<1>", numbered by what the objects look like otherwise
///                        "web-<refused>" where no such object ever came to be
///   moments, versions    "<time>", "<today>"; versions are left out
///   addresses, ports     "<address>", "<port>", unless the scenario names them
///   tokens               what they say
///   events               what they say, once, however often they were recorded; not the server's
///   endpoints            in the order of what they say, where addresses do not give them one; what
///                        they were last changed for, and how often they were, is left out
///
/// An object also says since which checkpoint it has been there, so that one that was replaced does
/// not look like one that stayed.
class Portraitist {
 public:
  struct Subject {
    std::string scenario;  ///< its text: what it names itself stays
    /// What is different for each server, with stand-ins.
    std::vector<std::pair<std::string, std::string>> texts;
  };
  explicit Portraitist(Subject subject) : subject_(std::move(subject)) {}

  api::Json Draw(const World& world, const std::string& checkpoint, WallTime now);

 private:
  const Subject subject_;
  std::map<std::string, std::string> since_;  ///< the checkpoint that first showed it, by uid
};

/// The name of an event in a portrait.
std::string HeadlineOf(const api::Json& event);

}  // namespace flyball::parity
