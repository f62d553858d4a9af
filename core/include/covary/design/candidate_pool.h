// Candidates to measure, beside the rows that a model was fitted to: suggest, tell, suggest, tell, in the units of y.
//
//   CandidatePool pool(model, candidates, "variance-reduction");
//   for (const Choice& c : pool.suggest(4)) pool.tell({c.candidate}, Vector::Constant(1, measure(c.candidate)));
//
// A Selector over both; the rows of the model are its first labels. Nothing is fitted again. Of an approximate model of
// many rows the pool is the candidates alone, under the posterior of its inference.
#pragma once
#include "covary/model/fitted_model.h"
#include "covary/select/coverage.h"
#include "covary/select/forecast.h"

namespace covary {

/// Rows of known class, and the classifier to be trained with further labels.
struct ClassifiedRows {
  Kernel<Row> kernel;         // every parameter given
  Matrix x;                   // n x d
  std::vector<Index> labels;  // n: numbers of classes
  Index kinds = 2;            // how many classes there may be
  SvmOptions svm = {};
};

namespace internal {
/// The process of a model that labels are chosen for. Throws Problem::usage for a linear model and for one with a
/// noise for each row.
const Process<Row>& selecting_process(const FittedModel& model, int threads = 0);
}  // namespace internal

class CandidatePool {
 public:
  /// Numbers. `options.cost`: one for each candidate. Throws Problem::usage for a linear model and for one with
  /// a noise for each row, and Problem::limit where the tables of the strategy do not fit into memory.
  CandidatePool(const FittedModel& model, const Rows& candidates, const std::string& strategy,
                SelectorOptions options = {});
  /// With a strategy of the caller's, whose entry must outlive the pool.
  CandidatePool(const FittedModel& model, const Rows& candidates, NamedStrategy strategy,
                SelectorOptions options = {});
  /// Classes. Strategies that look at variances see a Gaussian process of the kernel on labels 1 and -1, with
  /// a noise variance of 0.1.
  CandidatePool(const ClassifiedRows& rows, const Rows& candidates, const std::string& strategy,
                SelectorOptions options = {});
  CandidatePool(const ClassifiedRows& rows, const Rows& candidates, NamedStrategy strategy,
                SelectorOptions options = {});

  /// The next `batch` candidates, none twice; they are pending until told.
  std::vector<Choice> suggest(Index batch = 1) { return selector_.suggest(batch); }
  /// The labels of some candidates: of y, or numbers of classes.
  void tell(const std::vector<Index>& which, const Vector& labels);
  /// Another kernel, trend and noise for the same candidates and labels; none is pending then.
  void replace(const FittedModel& model);

  Index size() const { return candidates_; }
  Index open() const { return selector_.open(); }
  bool classifies() const { return classifies_; }
  Vector mean() const;    // of f at each candidate
  Vector sd() const;      // of f; pending ones count as measured
  Vector scores() const;  // of the latest suggest; empty before
  /// Warnings of poor coverage and bias of the labels; empty if there are none. `name`: the name of a
  /// candidate; none: "candidate 17", counted from 1.
  std::vector<std::string> coverage(std::uint64_t seed = 1,
                                    const std::function<std::string(Index)>& name = {}) const;
  std::vector<std::string> bias() const;
  /// How many more labels bring the sd of f at every candidate down to `goal`; for numbers only.
  Forecast forecast(double goal) const;

 private:
  CandidatePool(const FittedModel& model, const Rows& candidates, NamedStrategy strategy,
                SelectorOptions options, bool given);
  Pool pool_of(const Process<Row>& process) const;

  NamedStrategy strategy_;
  SelectorOptions options_;          // with a cost for each row of x
  std::shared_ptr<const Matrix> x_;  // the candidates, then the rows that came with a label
  Schema features_;                  // the columns of x
  Index candidates_;
  double scale_ = 1;          // as in ModelRecord
  Transform transform_ = {};  // of labels: means and sds are of the transformed label
  bool noise_known_ = true, classifies_ = false;
  bool given_ = false;  // the labels of the model are in the covariances
  Process<Row> process_;
  Selector selector_;
};

}  // namespace covary
