// The parts of covary demo: each prints answers and writes pictures into a folder.
#pragma once
#include <functional>
#include <string>

#include "covary/process/process.h"
#include "pictures/chart.h"

namespace covary::cli {

/// Observations of one input.
struct Data {
  Vector x, y;
};

/// A function that courses like to show, and where.
struct Curve {
  std::string name;     // of files: "sine"
  std::string formula;  // "sin(x)"
  std::function<double(double)> f;
  double low = -5, high = 5;
  std::string kernel;  // with which it is learned in the studies
};
Curve sine();
Curve sinc();

/// Mean and 95 % band of f, and the data.
Chart picture(const Process<Row>& process, const Data& d, double low, double high);

/// Puts `draws` samples of f, and the truth if there is one, behind the mean.
void add_behind(Chart& chart, const Process<Row>& process, Index draws, std::uint64_t seed,
                const std::function<double(double)>& truth = {});

// `number` comes before the heading: "1. ", or nothing.

/// Eight observations, from prior to posterior: lecture.svg.
void show_lecture(const std::string& folder, const std::string& number);

/// 60 noisy observations of sinc: sinc.csv, sinc.json, sinc.svg.
void show_learning(const std::string& folder, const std::string& number);

/// More and more points, more and more noise: NAME-points.svg, NAME-noise.svg.
void show_studies(const Curve& curve, const std::string& folder);

/// Labels that find a threshold among 1000 to 1000000 points.
void show_thresholds();

/// A cluster that margin sampling never finds, and the remedies: bias.svg.
void show_bias(const std::string& folder);

/// Labels for all of a pool from a few, and a limit on how many are wrong: clusters.svg.
void show_clusters(const std::string& folder);

/// Places chosen while the hyper-parameters are uncertain, and the switch from exploring to exploiting: explore.svg.
void show_exploring(const std::string& folder);

/// The smallest value of a function from few of its values: best.svg.
void show_best(const std::string& folder);

/// A posterior density from few log likelihoods: density.svg.
void show_density(const std::string& folder);

/// Sensors by entropy and by mutual information on one map: sensors.svg.
void show_sensors(const std::string& folder);

}  // namespace covary::cli
