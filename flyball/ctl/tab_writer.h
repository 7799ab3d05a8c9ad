#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::ctl {

/// Aligns text whose cells end with a tab, as Go's text/tabwriter does: a column is as wide as its
/// widest cell among neighbouring lines that have one there, and what is behind a line's last tab
/// belongs to no column.
class TabWriter {
 public:
  struct Options {
    std::size_t least_width = 0;
    std::size_t padding = 2;
    /// Columns stay as wide as they have been: for a table that goes on, as a watch's does.
    bool remember_widths = false;
  };

  explicit TabWriter(Options options) : options_(options) {}

  /// What `kubectl get` and what `kubectl describe` write with.
  static TabWriter ForTables() {
    return TabWriter({.least_width = 6, .padding = 3, .remember_widths = true});
  }
  static TabWriter ForDescriptions() { return TabWriter({}); }

  /// The text in columns. Whole lines only.
  std::string Align(std::string_view text);

 private:
  using Line = std::vector<std::string_view>;  // the last one is behind the last tab

  void AlignBlock(const std::vector<Line>& lines, std::size_t first, std::size_t end,
                  std::string& out);
  std::size_t WidthOf(const std::vector<Line>& lines, std::size_t& line, std::size_t end);
  void Write(const Line& line, std::string& out) const;

  const Options options_;
  std::vector<std::size_t> widths_;  // of the columns that a block is in
  std::vector<std::size_t> remembered_;
};

}  // namespace flyball::ctl
