#include "tests/contract/table.h"

#include <fstream>
#include <sstream>

namespace flyball::contract {

std::vector<Row> ReadTable(const std::string& name) {
  std::ifstream file(FLYBALL_CONTRACT "/" + name);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    Row& row = rows.emplace_back();
    std::istringstream cells(line + "\t");
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    row.resize(rows.front().size());
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

}  // namespace flyball::contract
