#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"
#include "flyball/client/discovery.h"
#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"

/// Objects as people write them down: `-f FILE|FOLDER|-`.
namespace flyball::ctl {

struct Files {
  std::vector<std::string> names;
  bool recursive = false;  ///< folders in folders too

  bool empty() const { return names.empty(); }
};

struct Manifest {
  Json object;
  std::string source;  ///< the file's name; "STDIN"
};

/// The objects in a text. Of a list, its items.
Result<std::vector<Manifest>> ParseManifests(std::string_view text, const std::string& source);

/// Those of files and folders, the files of a folder in the order of their names. In a folder only
/// .json, .yaml and .yml count.
Result<std::vector<Manifest>> ReadManifests(const Files& files, std::istream& in);

/// A manifest whose place is known.
struct PlacedManifest {
  Manifest manifest;
  const client::ServedResource* resource = nullptr;
  ObjectKey key;
};

/// Finds the resource of an object, and puts the object into the command's namespace where it needs
/// one and names none.
Result<PlacedManifest> Place(Cluster& cluster, Manifest manifest);

/// All of what the files say, in their order. What cannot be placed is among the errors.
Result<std::vector<PlacedManifest>> ReadPlaced(Cluster& cluster, const Files& files,
                                               Errors& errors);

}  // namespace flyball::ctl
