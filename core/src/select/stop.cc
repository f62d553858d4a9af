#include "covary/select/stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace covary {

void Stopping::round(Index labels, double largest_sd, double gain, double change) {
  labels_.push_back(labels);
  sd_.push_back(largest_sd);
  gain_ = gain;
  still_ = change < rules_.change ? still_ + 1 : 0;
}

std::string Stopping::reason() const {
  if (sd_.empty()) return "";
  if (rules_.largest_sd > 0 && sd_.back() <= rules_.largest_sd)
    return fmt::format("the largest sd of f is {:.3g}, asked for {:.3g}", sd_.back(), rules_.largest_sd);
  if (rules_.gain > 0 && gain_ < rules_.gain)
    return fmt::format("the next label's gain per cost is {:.3g}, asked for {:.3g}", gain_, rules_.gain);
  if (rules_.change > 0 && still_ >= rules_.rounds)
    return fmt::format("predictions moved by less than {:.3g} in {} rounds", rules_.change, rules_.rounds);
  return "";
}

/// log sd = a - b log n by least squares over the latest half of the rounds.
Index Stopping::remaining() const {
  if (rules_.largest_sd <= 0 || sd_.empty()) return -1;
  if (sd_.back() <= rules_.largest_sd) return 0;
  const size_t last = sd_.size(), first = std::min(last / 2, last - std::min<size_t>(last, 5));
  if (last - first < 4 || labels_[first] == labels_.back()) return -1;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = first; i < last; ++i) {
    if (!(sd_[i] > 0)) continue;
    const double x = std::log(double(labels_[i])), y = std::log(sd_[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  if (!(slope <= -0.05)) return -1;  // it does not fall
  const double labels = double(labels_.back()) * std::pow(rules_.largest_sd / sd_.back(), 1 / slope);
  return labels < 1e9 ? std::max<Index>(1, Index(std::ceil(labels - double(labels_.back())))) : -1;
}

std::string Stopping::forecast(const std::string& unit) const {
  const Index more = remaining();
  if (more <= 0) return "";
  return fmt::format("about {} more labels to reach {:.3g}{}{}", more, rules_.largest_sd,
                     unit.empty() ? "" : " ", unit);
}

}  // namespace covary
