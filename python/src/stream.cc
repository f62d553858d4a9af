// Selective sampling: points arrive one at a time, each is asked for or let go.
#include "covary/select/stream.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/select/stream_machine.h"
#include "model.h"

namespace covary::python {
namespace {

using namespace nb::literals;

StreamOptions options_of(Index budget, Index length, double rate, Index memory, Index start,
                         double random_share, const std::string& forget, std::uint64_t seed, int threads,
                         const std::string& strategy) {
  if (forget != "redundant" && forget != "oldest")
    throw Error(Problem::usage, "forget: expected 'redundant' or 'oldest', found '" + forget + "'");
  StreamOptions o{budget, length, rate, memory, start, random_share};
  o.forget = forget == "oldest" ? Forget::oldest : Forget::redundant;
  o.seed = seed, o.threads = threads, o.strategy = strategy;
  return o;
}

/// One call at a time: neither another thread nor a label function may come between.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
    if (busy.exchange(true))
      throw Error(Problem::usage,
                  "the stream is in use: by another thread, or by the call that asks for a label");
  }
  ~Turn() { busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

/// A stream of numbers, in the units of y, and the model that it grew from.
struct NumberStream {
  NumberStream(const FittedModel& m, const StreamOptions& o)
      : from(m), stream(internal::gaussian_process(m, "a stream"), o) {}
  double coded(double y) const {
    const Transform& g = from->request.transform;
    if (!g.takes(y)) throw Error(Problem::data, g.refusal(from->target, y));
    return g(y) / from->scale;
  }
  FittedModel from;
  Stream<Row> stream;
  mutable std::atomic<bool> busy = false;
};

struct ClassStream {
  ClassStream(const Kernel<Row>& kernel, Index kinds, double penalty, double tolerance,
              const StreamOptions& o)
      : stream(kernel, kinds, {.penalty = penalty, .tolerance = tolerance}, o) {}
  double coded(double kind) const { return kind; }
  StreamMachine<Row> stream;
  mutable std::atomic<bool> busy = false;
};

nb::dict described(const Offer& o) {
  nb::dict d;
  d["ask"] = o.ask, d["score"] = o.score, d["threshold"] = o.threshold, d["probability"] = o.probability;
  d["rate"] = o.rate, d["by_chance"] = o.by_chance(), d["reason"] = o.reason();
  return d;
}

/// Looks for signals now and then; called without the GIL.
void look_for_signals(Index i) {
  if (i % 256 != 0) return;
  const nb::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

template <class S>
nb::dict offered(S& s, nb::handle at) {
  const Turn turn(s.busy);
  const Points x(at, "x", Numbers::finite);
  Offer o;
  {
    const nb::gil_scoped_release free;
    o = s.stream.offer(x.rows());
  }
  return described(o);
}

template <class S>
void told(S& s, double label) {
  const Turn turn(s.busy);
  const nb::gil_scoped_release free;
  s.stream.tell(s.coded(label));
}

/// The numbers of the points that were asked for; label(i) -> of point i.
template <class S>
std::vector<Index> offered_many(S& s, nb::handle at, const std::function<double(Index)>& label) {
  const Turn turn(s.busy);
  const Points x(at, "X", Numbers::finite);
  std::vector<Index> asked;
  const nb::gil_scoped_release free;
  s.stream.offer_many(
      x.rows(),
      [&](Index i) {
        const nb::gil_scoped_acquire hold;
        return s.coded(label(i));
      },
      [&](Index i, const Offer& o) {
        look_for_signals(i);
        if (o.ask) asked.push_back(i);
      });
  return asked;
}

template <class S>
nb::dict summed(const S& s) {
  const Turn turn(s.busy);
  const StreamSummary all = s.stream.summary();
  nb::dict d;
  d["seen"] = all.seen, d["asked"] = all.asked, d["by_chance"] = all.by_chance, d["kept"] = all.kept;
  d["dropped"] = all.dropped, d["threshold"] = all.threshold, d["text"] = all.text();
  return d;
}

/// The model of the points that are kept now.
FittedModel model_of(const NumberStream& s) {
  const Turn turn(s.busy);
  const nb::gil_scoped_release free;
  const Vector z = s.stream.model().targets();
  return with_rows(s.from, s.stream.model().points(),
                   s.from->request.transform.inverse(Vector(s.from->scale * z)));
}

std::vector<Index> predicted(const ClassStream& s, nb::handle at) {
  const Turn turn(s.busy);
  const Points x(at, "X", Numbers::finite);
  const nb::gil_scoped_release free;
  return s.stream.predict(x.rows());
}

template <class S>
void add_verbs(nb::class_<S>& c) {
  c.def("offer", &offered<S>, "x"_a, "The next point, one row: whether to ask.");
  c.def("tell", &told<S>, "label"_a, "The label of the point that was asked for.");
  c.def("offer_many", &offered_many<S>, "X"_a, "label"_a,
        "The rows asked for; label(i) gives that of row i.");
  c.def_prop_ro("summary", &summed<S>);
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<StreamOptions>(m, "StreamOptions");
  m.def("stream_options", &options_of, nb::kw_only(), "budget"_a, "length"_a, "rate"_a, "memory"_a, "start"_a,
        "random_share"_a, "forget"_a, "seed"_a, "threads"_a, "strategy"_a);
  nb::class_<NumberStream> numbers(m, "NumberStream", "A stream for a Gaussian process.");
  numbers.def(nb::init<const FittedModel&, const StreamOptions&>(), "model"_a, "options"_a);
  numbers.def_prop_ro("model", &model_of, "The model of the points that are kept.");
  add_verbs(numbers);
  nb::class_<ClassStream> classes(m, "ClassStream", "A stream for support vector machines.");
  classes.def(nb::init<const Kernel<Row>&, Index, double, double, const StreamOptions&>(), "kernel"_a,
              "kinds"_a, "penalty"_a, "tolerance"_a, "options"_a);
  classes.def("predict", &predicted, "X"_a);
  add_verbs(classes);
}

}  // namespace covary::python
