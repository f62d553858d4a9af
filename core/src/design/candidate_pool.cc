#include "covary/design/candidate_pool.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

constexpr double noise_of_classes = 0.1;  // of labels 1 and -1
constexpr Index least_labels = 10;        // to speak of a bias
constexpr double most_lean = 0.75;        // standard deviations of all

std::string gigabytes(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.3g} GB", bytes / 1e9);
}

/// Throws unless the tables of the strategy fit into memory.
NamedStrategy with_room(NamedStrategy strategy, Index candidates) {
  const StrategyEntry& e = *strategy.entry;
  const double needed = e.bytes ? e.bytes(strategy.arguments, candidates) : 0,
               free = e.bytes ? double(memory_available()) : 1;
  if (needed < free) return strategy;
  throw Error(
      Problem::limit,
      fmt::format("strategy {0} needs {1} for {2} candidates, {3} are free: draw some of the candidates, "
                  "give the strategy fewer reference points ({0}(reference=100)), or take uncertainty",
                  e.name, gigabytes(needed), candidates, gigabytes(free)));
}

void check_columns(const Rows& candidates, Index expected) {
  if (candidates.cols() != expected)
    throw Error(Problem::usage, fmt::format("candidates: expected {} columns, as the model has, found {}",
                                            expected, candidates.cols()));
}

/// With the cost of rows that have a label already, which nobody pays.
SelectorOptions with_all_costs(SelectorOptions o, Index candidates, Index known) {
  if (o.cost.size() == 0) return o;
  if (o.cost.size() != candidates)
    throw Error(Problem::usage, fmt::format("costs: {} for {} candidates", o.cost.size(), candidates));
  o.cost = concat(o.cost, Vector::Ones(known));
  return o;
}

SelectorOptions classifying(SelectorOptions o, const ClassifiedRows& rows) {
  o.kinds = rows.kinds, o.svm = rows.svm;
  return o;
}

/// Throws if the strategy was given another penalty than the classifier: both use the same machines.
NamedStrategy with_penalty(NamedStrategy strategy, const SvmOptions& svm) {
  const double own = strategy.svm(svm).penalty;
  if (own != svm.penalty)
    throw Error(
        Problem::usage,
        fmt::format("strategy '{}': the Classifier has penalty {:g}, and the strategy looks at that one: "
                    "give Classifier(penalty={:g})",
                    strategy.text, svm.penalty, own));
  return strategy;
}

std::shared_ptr<const Matrix> joined(const Rows& candidates, const Matrix& known) {
  check_columns(candidates, known.cols());
  return std::make_shared<const Matrix>(join(candidates, Rows(known)));
}

/// count, from `first` on.
std::vector<Index> indices_from(Index first, Index count) {
  std::vector<Index> out = all_indices(count);
  for (Index& i : out) i += first;
  return out;
}

/// Whether the posterior of an approximate inference stands for the labels: conditioning on them exactly takes n^2
/// doubles.
bool posterior_stands(const FittedModel& model, int threads) {
  constexpr Index few = 4000;
  return model->y.size() > few && selecting_process(model, threads).report().approximate;
}

NamedStrategy without_labels(NamedStrategy strategy) {
  if (!strategy.entry->labels) return strategy;
  throw Error(
      Problem::usage,
      fmt::format(
          "strategy {} needs the labels themselves; for an approximate model of so many rows only the "
          "posterior is used: take a strategy of means and variances, such as variance-reduction",
          strategy.entry->name));
}

/// The candidates x given what the process was conditioned on: q^2 doubles.
Pool pool_given(const Process<Row>& process, const Matrix& x) {
  Gaussian joint = process.joint(Rows(x));
  Vector mean = joint.mean();
  Pool pool{covariances_of(std::move(joint).covariance()), std::move(mean), Matrix(x.rows(), 0),
            process.noise_of_new().variances(x.rows())};
  return pool;
}

}  // namespace

const Process<Row>& internal::selecting_process(const FittedModel& model, int threads) {
  const Process<Row>& p = gaussian_process(model, "suggest", threads);
  if (!p.noise().per_row()) return p;
  throw Error(Problem::usage,
              "the noise of labels to come is not known: this model has one noise for each row");
}

CandidatePool::CandidatePool(const FittedModel& model, const Rows& candidates, const std::string& strategy,
                             SelectorOptions options)
    : CandidatePool(model, candidates, parse_strategy(strategy), std::move(options)) {}

CandidatePool::CandidatePool(const FittedModel& model, const Rows& candidates, NamedStrategy strategy,
                             SelectorOptions options)
    : CandidatePool(model, candidates, std::move(strategy), std::move(options),
                    posterior_stands(model, options.threads)) {}

CandidatePool::CandidatePool(const FittedModel& model, const Rows& candidates, NamedStrategy strategy,
                             SelectorOptions options, bool given)
    : strategy_(with_room(given ? without_labels(std::move(strategy)) : std::move(strategy),
                          candidates.rows() + (given ? 0 : model->x.rows()))),
      options_(with_all_costs(std::move(options), candidates.rows(), given ? 0 : model->y.size())),
      x_(joined(candidates, given ? Matrix(0, model->x.cols()) : model->x)),
      features_(internal::schema_of(model->request, model->features)),
      candidates_(candidates.rows()),
      scale_(model->scale),
      transform_(model->request.transform),
      noise_known_(model->request.noise != "learn"),
      given_(given),
      process_(selecting_process(model, options_.threads)),
      selector_(strategy_, pool_of(process_), options_) {
  if (model->y.size() > 0 && !given)
    selector_.tell(indices_from(candidates_, model->y.size()), model->latent_target());
}

CandidatePool::CandidatePool(const ClassifiedRows& rows, const Rows& candidates, const std::string& strategy,
                             SelectorOptions options)
    : CandidatePool(rows, candidates, parse_strategy(strategy), std::move(options)) {}

CandidatePool::CandidatePool(const ClassifiedRows& rows, const Rows& candidates, NamedStrategy strategy,
                             SelectorOptions options)
    : strategy_(with_room(with_penalty(std::move(strategy), rows.svm), candidates.rows() + rows.x.rows())),
      options_(classifying(with_all_costs(std::move(options), candidates.rows(), rows.x.rows()), rows)),
      x_(joined(candidates, rows.x)),
      candidates_(candidates.rows()),
      classifies_(true),
      process_(rows.kernel, zero_mean<Row>(), Noise::of(noise_of_classes)),
      selector_(strategy_, pool_of(process_), options_) {
  Vector labels(std::ssize(rows.labels));
  for (Index i = 0; i < labels.size(); ++i) labels[i] = double(rows.labels[static_cast<size_t>(i)]);
  if (labels.size() > 0) selector_.tell(indices_from(candidates_, labels.size()), labels);
}

Pool CandidatePool::pool_of(const Process<Row>& process) const {
  if (given_) return pool_given(process, *x_);
  Pool pool = covary::pool_of<Row>(process, Rows(*x_));
  pool.noise_known = noise_known_;
  return pool;
}

void CandidatePool::tell(const std::vector<Index>& which, const Vector& labels) {
  for (const Index i : which)
    if (i < 0 || i >= candidates_)
      throw Error(Problem::usage,
                  fmt::format("indices: expected a candidate from 0 to {}, found {}", candidates_ - 1, i));
  if (std::ssize(which) != labels.size())
    throw Error(Problem::usage, fmt::format("tell: {} indices and {} labels", which.size(), labels.size()));
  selector_.tell(which, classifies_ ? labels : Vector(transform_(labels) / scale_));
}

void CandidatePool::replace(const FittedModel& model) {
  if (classifies_) throw Error(Problem::usage, "replace: this pool has classes, not numbers");
  if (model->scale != scale_)
    throw Error(Problem::usage, "replace: the model's numbers are of another size than those of the pool");
  process_ = selecting_process(model, options_.threads);
  selector_.replace(pool_of(process_));
}

Vector CandidatePool::mean() const { return scale_ * selector_.belief().mean().col(0).head(candidates_); }

Vector CandidatePool::sd() const {
  return scale_ * selector_.belief().variance().cwiseMax(0).cwiseSqrt().head(candidates_);
}

Vector CandidatePool::scores() const {
  return selector_.scores().size() ? Vector(selector_.scores().head(candidates_)) : Vector();
}

std::vector<std::string> CandidatePool::coverage(std::uint64_t seed,
                                                 const std::function<std::string(Index)>& name) const {
  if (given_) return {};
  return covary::coverage(selector_.belief(), seed, name).warnings;
}

std::vector<std::string> CandidatePool::bias() const {
  const PoolPosterior& b = selector_.belief();
  if (features_.size() == 0 || b.labels() < least_labels) return {};
  Vector lean = leaning(*x_, {b.order().begin(), b.order().begin() + b.labels()});
  for (Index k = 0; k < lean.size(); ++k)
    if (features_[k].codes) lean[k] = 0;  // codes are not large or small
  Index column = 0;
  if (!(lean.cwiseAbs().maxCoeff(&column) > most_lean)) return {};
  return {fmt::format("the labelled points are biased towards {} {}: by {:.2g} standard deviations of all",
                      lean[column] > 0 ? "large" : "small", features_[column].name, std::abs(lean[column]))};
}

Forecast CandidatePool::forecast(double goal) const {
  const PoolPosterior& b = selector_.belief();
  Selector ahead(played(strategy_), pool_of(process_), options_);
  if (b.labels() > 0) ahead.tell({b.order().begin(), b.order().begin() + b.labels()}, b.targets().col(0));
  Forecast out = covary::forecast(std::move(ahead), candidates_, goal / scale_, most_played(x_->rows()));
  out.now *= scale_, out.left *= scale_;
  return out;
}

}  // namespace covary
