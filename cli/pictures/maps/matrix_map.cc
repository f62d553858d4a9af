#include "pictures/maps/matrix_map.h"

#include <algorithm>

#include "pictures/frame.h"
#include "pictures/maps/map_drawing.h"

namespace covary::cli {
namespace {

constexpr double least_matrix = 180, largest_matrix = 720, largest_cell = 48;

/// Names at the left and below, the color bar at the right.
class MatrixSheet {
 public:
  MatrixSheet(const MatrixFigure& figure, const Size& size)
      : figure_(figure),
        width_(size.width),
        heading_(make_heading(figure.title, figure.notes, size.width)),
        body_(heading_.letters.body),
        last_(double(figure.names.size()) - 0.5) {
    reversed_.assign(figure.names.rbegin(), figure.names.rend());
    values_ = axis_up(figure.range.low, figure.range.high, least_matrix, body_);
    choose_side(size.height);
  }

  std::string draw() const {
    Svg svg(width_, height_, body_.size);
    covary::cli::draw(svg, heading_);
    const double left = border + left_, top = heading_.height() + above();
    const Panel p{{left, top, left + side_, top + side_}, across(side_), up(side_), body_};
    HeatMap cells{"", Vector(), Vector(), figure_.z.rowwise().reverse(), &sea(), {}, {}, {}};
    cells.smooth = false;
    draw_map(svg, cells, p, axis_up(figure_.range.low, figure_.range.high, side_, body_), false);
    svg.text(left, top - 9, shortened(figure_.label, side_ + right(), heading_.letters.panel),
             heading_.letters.panel);
    return std::move(svg).finish();
  }

 private:
  double above() const { return 1.45 * body_.size + 12; }
  double right() const { return bar_gap + bar_width + 7 + values_.label_width(body_); }
  Axis across(double side) const {
    return axis_across(-0.5, last_, side, body_, {Measure::Kind::levels, figure_.names});
  }
  Axis up(double side) const { return axis_up(-0.5, last_, side, body_, {Measure::Kind::levels, reversed_}); }

  /// The smaller the matrix the smaller its names, which take room from it: a few rounds settle both.
  void choose_side(double given) {
    const double largest =
        std::clamp(largest_cell * double(figure_.names.size()), least_matrix, largest_matrix);
    side_ = largest;
    for (int round = 0; round < 8; ++round) {
      left_ = up(side_).label_width(body_) + 8, below_ = across(side_).label_depth(body_) + 12;
      side_ = std::clamp(width_ - 2 * border - left_ - right(), least_matrix, largest);
    }
    const double around = heading_.height() + above() + below_ + border / 2;
    height_ = chosen_height(given, around + side_, around + least_matrix);
    side_ = std::min(side_, height_ - around);
  }

  const MatrixFigure& figure_;
  double width_, height_ = 0;
  Heading heading_;
  Lettering body_;
  double last_;
  std::vector<std::string> reversed_;
  Axis values_;
  double side_ = 0, left_ = 0, below_ = 0;
};

}  // namespace

std::string as_svg(const MatrixFigure& figure, const Size& size) { return MatrixSheet(figure, size).draw(); }

}  // namespace covary::cli
