#include "pictures/maps/contour.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace covary::cli {
namespace {

/// An edge of the grid that a line crosses: from (i, j) along the rows, or along the columns.
struct Edge {
  Index i, j;
  bool along_columns;
  bool operator==(const Edge&) const = default;
  bool operator<(const Edge& e) const {
    return std::tie(i, j, along_columns) < std::tie(e.i, e.j, e.along_columns);
  }
};

/// Pieces inside cells, each joining two edges; an edge belongs to at most two pieces.
class Pieces {
 public:
  Pieces(const Matrix& z, double level) : z_(z), level_(level) {
    for (Index i = 0; i + 1 < z.rows(); ++i)
      for (Index j = 0; j + 1 < z.cols(); ++j) add_cell(i, j);
  }

  std::vector<Contour> joined() {
    std::vector<Contour> out;
    for (const bool open : {true, false})  // lines that end at the border first, then closed ones
      for (auto& [edge, next] : links_)
        while (!next.empty() && (!open || next.size() == 1)) out.push_back(line_from(edge));
    return out;
  }

 private:
  bool above(Index i, Index j) const { return z_(i, j) >= level_; }

  void add_cell(Index i, Index j) {
    const bool a = above(i, j), b = above(i + 1, j), c = above(i + 1, j + 1), d = above(i, j + 1);
    const Edge low{i, j, false}, right{i + 1, j, true}, high{i, j + 1, false}, left{i, j, true};
    if (a == c && b == d && a != b) {  // a saddle: its middle decides
      const double middle = (z_(i, j) + z_(i + 1, j) + z_(i + 1, j + 1) + z_(i, j + 1)) / 4;
      const bool with_a = (middle >= level_) == a;
      link(low, with_a ? right : left);
      link(high, with_a ? left : right);
      return;
    }
    std::vector<Edge> crossed;
    if (a != b) crossed.push_back(low);
    if (b != c) crossed.push_back(right);
    if (d != c) crossed.push_back(high);
    if (a != d) crossed.push_back(left);
    if (crossed.size() == 2) link(crossed[0], crossed[1]);
  }

  void link(const Edge& a, const Edge& b) {
    links_[a].push_back(b);
    links_[b].push_back(a);
  }

  std::pair<double, double> place(const Edge& e) const {
    const Index i = e.along_columns ? e.i : e.i + 1, j = e.along_columns ? e.j + 1 : e.j;
    const double from = z_(e.i, e.j), to = z_(i, j), t = (level_ - from) / (to - from);
    return {double(e.i) + t * double(i - e.i), double(e.j) + t * double(j - e.j)};
  }

  /// Follows the links from an edge, taking them away.
  Contour line_from(Edge at) {
    Contour line{place(at)};
    while (!links_[at].empty()) {
      const Edge next = links_[at].back();
      links_[at].pop_back();
      std::vector<Edge>& back = links_[next];
      back.erase(std::find(back.begin(), back.end(), at));
      at = next;
      line.push_back(place(at));
    }
    return line;
  }

  const Matrix& z_;
  double level_;
  std::map<Edge, std::vector<Edge>> links_;
};

}  // namespace

std::vector<Contour> contours(const Matrix& z, double level) { return Pieces(z, level).joined(); }

}  // namespace covary::cli
