#include "covary/place/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace covary {
using namespace internal;
namespace {

std::string number_in_words(Index n) {
  static const std::array<const char*, 13> words{"no",    "one",   "two",  "three", "four",   "five",  "six",
                                                 "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  return n < std::ssize(words) ? words[static_cast<size_t>(n)] : std::to_string(n);
}

/// "one sensor", "ten sensors", "40 sensors".
std::string sensors_in_words(Index n) { return number_in_words(n) + (n == 1 ? " sensor" : " sensors"); }

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

/// "at least 76 % of the best possible ten", or that they are the best, or that nothing is known.
std::string share_words(const Placed& placed, const PlacedAbout& about) {
  const Pick& last = placed.picks.back();
  const std::string set =
      about.bought ? "set that the budget buys" : number_in_words(std::ssize(placed.picks));
  if (placed.optimal)
    return fmt::format("proven: no other {} {} worth more", set, about.bought ? "is" : "are");
  if (about.criterion->baseline) return "";
  if (std::isnan(last.share()))
    return fmt::format("how good the best possible {} would be is not known", set);
  const std::string& certificate = about.criterion->certificate;
  return fmt::format("at least {:.0f} % of the best possible {}: none can be worth more than {:.4g}{}",
                     std::floor(100 * last.share() + 1e-9), set, last.bound,
                     certificate.empty() ? "" : " (" + certificate + ")");
}

std::string unit_words(const PlacedAbout& about) {
  if (about.criterion->unit != "variance") return fmt::format("values are in {}", about.criterion->unit);
  return fmt::format("values are variances of the field{}",
                     about.unit.empty() ? "" : ", in " + about.unit + " squared");
}

std::string sd_words(const Placed& placed, const std::string& unit) {
  const Pick& last = placed.picks.back();
  return fmt::format("remaining sd of the field: mean {}, {} before; largest {}, {} before",
                     with_unit(last.mean_sd, unit), with_unit(placed.mean_sd, unit),
                     with_unit(last.largest_sd, unit), with_unit(placed.largest_sd, unit));
}

}  // namespace

std::string internal::chosen_words(const PlacedAbout& about) {
  return fmt::format("{} by {} from {}", about.given ? "scored" : "chosen", about.criterion->name,
                     about.field);
}

std::vector<std::string> internal::words(const Placed& placed, const PlacedAbout& about) {
  const Index count = std::ssize(placed.picks);
  std::vector<std::string> out = placed.notes;
  out.push_back(fmt::format("{} among {} candidate{}, {}; {}", sensors_in_words(count), about.candidates,
                            about.candidates == 1 ? "" : "s", chosen_words(about), unit_words(about)));
  if (!placed.stopped.empty())
    out.push_back(fmt::format("{}: {}",
                              count == 0 ? "none was placed" : "stopped after " + number_in_words(count),
                              placed.stopped));
  if (count == 0) return out;
  if (std::string share = share_words(placed, about); !share.empty()) out.push_back(std::move(share));
  out.push_back(sd_words(placed, about.unit));
  return out;
}

std::vector<std::string> internal::held_out_words(const std::vector<HeldOutScore>& scores,
                                                  const RandomSets* by_chance,
                                                  const std::vector<std::string>& times,
                                                  const std::string& unit) {
  const HeldOutScore& s = scores.back();
  const Index count = std::ssize(scores) - 1;
  if (s.worst_time < 0) return {"held out: there is no reading at a place without a sensor to compare with"};
  std::vector<std::string> out{
      fmt::format("held out: places without a sensor are predicted with an error (rmse) of {}; {:.0f} "
                  "% of their readings lie inside the 95 % interval",
                  with_unit(s.rmse, unit), 100 * s.inside)};
  if (by_chance && !std::isnan(by_chance->mean[count]))
    out.push_back(
        fmt::format("sets of as many sensors drawn by chance: {} on average, {:.4g} to {} for 90 % "
                    "of them",
                    with_unit(by_chance->mean[count], unit), by_chance->lower[count],
                    with_unit(by_chance->upper[count], unit)));
  out.push_back(fmt::format("the error is largest at {}: {}", times[static_cast<size_t>(s.worst_time)],
                            with_unit(s.worst, unit)));
  return out;
}

}  // namespace covary
