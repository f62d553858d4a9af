// expected-divergence: the label that is expected to change the posterior density the most.
//
// f is a log density. With reference points r of weight w_r, the density estimate is p_r = w_r exp(m_r)/sum. A
// label y at x, y = m_x + z sqrt(s), z ~ N(0, 1), s = var f(x) + noise, makes it
//
//   p_r(z) = p_r exp(b_r z)/Z(z),  b_r = cov(f_r, f_x)/sqrt(s),  Z(z) = sum_r p_r exp(b_r z)
//
// and the score is E KL(p(z) || p) = E [sum_r p_r(z) b_r z - log Z(z)], by Gauss-Hermite quadrature over z. For m
// candidates, n labels, R reference points and Q nodes: m R (Q exponentials + 2 n flops).
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "select/shared.h"

namespace covary::strategy {
namespace {

/// Nodes and weights such that sum_q w_q g(z_q) = E g(z), z ~ N(0, 1), for polynomials g of degree 2 count - 1
/// [golub1969]: the eigenvalues of the Jacobi matrix, with the squared first components of its eigenvectors.
struct LabelQuadrature {
  Vector nodes, weights;
  explicit LabelQuadrature(Index count) {
    Matrix jacobi = Matrix::Zero(count, count);
    for (Index i = 1; i < count; ++i) jacobi(i, i - 1) = jacobi(i - 1, i) = std::sqrt(double(i));
    const Eigen::SelfAdjointEigenSolver<Matrix> of(jacobi);
    nodes = of.eigenvalues(), weights = of.eigenvectors().row(0).cwiseAbs2().transpose();
  }
};

/// Points that stand for the candidates without a label, and the share of those that each stands for.
struct DivergenceReference {
  std::vector<Index> places;  // ascending
  Vector weights;
};

/// Half of `most` are the candidates with the largest m + 2 sd, where the mass is or may be, each for itself; the
/// others stand for the rest together. All candidates without a label if they are no more than `most`.
DivergenceReference divergence_reference(const PoolPosterior& belief, const Vector& mean, const Vector& sd,
                                         Index most) {
  std::vector<Index> open = select::unlabelled(belief, mean.size());
  if (std::ssize(open) <= most) return {open, Vector::Ones(std::ssize(open))};
  const auto upper = [&](Index i) { return mean[i] + 2 * sd[i]; };
  std::stable_sort(open.begin(), open.end(), [&](Index a, Index b) { return upper(a) > upper(b); });
  const Index top = most / 2;
  std::vector<Index> rest(open.begin() + top, open.end());
  std::sort(rest.begin(), rest.end());
  std::vector<std::pair<Index, double>> all;
  for (Index i = 0; i < top; ++i) all.emplace_back(open[static_cast<size_t>(i)], 1);
  const std::vector<Index> some = internal::representatives(std::ssize(rest), most - top);
  for (const Index i : some)
    all.emplace_back(rest[static_cast<size_t>(i)], double(rest.size()) / double(some.size()));
  std::sort(all.begin(), all.end());
  DivergenceReference out{{}, Vector(std::ssize(all))};
  for (size_t i = 0; i < all.size(); ++i)
    out.places.push_back(all[i].first), out.weights[Index(i)] = all[i].second;
  return out;
}

/// KL(p(z) || p) for tilts t_r = b_r z of a density p (log p given): sum_r q_r t_r - log sum_r p_r exp(t_r).
double divergence_of_tilt(const Vector& log_p, const Vector& tilt) {
  const Vector logs = log_p + tilt;
  const double top = logs.maxCoeff();
  const Vector mass = (logs.array() - top).exp();
  const double total = mass.sum();
  return std::max(0.0, mass.dot(tilt) / total - top - std::log(total));
}

struct ExpectedDivergence {
  Index most;
  LabelQuadrature quadrature;
  Vector mean = {}, sd = {}, latest = {};

  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    mean = belief.mean().col(0), sd = belief.variance().cwiseMax(0).cwiseSqrt();
    const DivergenceReference reference = divergence_reference(belief, mean, sd, most);
    Vector log_p = mean(reference.places).array() + reference.weights.array().log();
    log_p.array() -= log_p.maxCoeff();
    log_p.array() -= std::log(log_p.array().exp().sum());
    const Vector label_sd = (sd.cwiseAbs2() + belief.pool().noise).cwiseSqrt();
    latest = Vector::Zero(mean.size());
    belief.runs("scores", [&](Range r) {
      const Matrix covariance = belief.covariance(r, reference.places);
      for (Index i = 0; i < r.count; ++i) {
        const double s = label_sd[r.first + i];
        if (!(s > 0)) continue;
        const Vector b = covariance.row(i).transpose() / s;
        for (Index q = 0; q < quadrature.nodes.size(); ++q)
          latest[r.first + i] += quadrature.weights[q] * divergence_of_tilt(log_p, b * quadrature.nodes[q]);
      }
    });
    return latest;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format(
        "a label changes the density by {:.3g} nats in expectation; f is {:.4g} with sd {:.3g}", latest[i],
        mean[i], sd[i]);
  }
};

}  // namespace

StrategyEntry expected_divergence() {
  StrategyEntry e{
      "expected-divergence",
      "E KL(p after a label at x || p), p ~ exp(E f(t)) over candidates t without a label",
      "for a log likelihood f: the label that changes the posterior density most; over at most 200",
      {"reference", "nodes"},
      [](const Arguments& a) {
        const int reference = a.integer("reference", 200, 2, 100000), nodes = a.integer("nodes", 5, 2, 50);
        return Strategy(ExpectedDivergence{reference, LabelQuadrature(nodes)});
      }};
  e.task = StrategyEntry::For::regression;
  e.question = Question::posterior;
  e.reference = "kandasamy2015";
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
