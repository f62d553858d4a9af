// covary replay: which labels would have been enough? Labelling replayed on data whose labels are known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "command.h"
#include "covary/base/error.h"
#include "covary/base/percent.h"
#include "covary/kernels/expression.h"
#include "covary/select/replay_stream.h"
#include "pictures/picture_file.h"
#include "reports/replay_report.h"
#include "verbs/replay_data.h"
#include "verbs/replay_runs.h"
#include "words.h"

namespace covary::cli {
namespace {

/// The error until which labels are counted. "0.25": that one; "random@200": that of random with 200 labels;
/// "95%": of the accuracy (or of the explained spread) that all labels give.
struct Reach {
  double error = 0, percent = 0, labels = 0;  // the one that is not 0
  std::string strategy = {};                  // whose error, with so many labels
};

/// Throws before anything is computed.
Reach read_reach(const LearnArguments& a) {
  const std::vector<std::string>& all = a.replay.strategies;
  const bool random = std::count(all.begin(), all.end(), "random") > 0;
  if (a.reach.empty())
    return {.labels = double(a.replay.budget), .strategy = random ? "random" : all.front()};
  const auto number = [&](const std::string& text) {
    const std::optional<double> value = number_in(text);
    if (value && *value > 0) return *value;
    throw Error(Problem::usage,
                fmt::format("--reach: expected an error, STRATEGY@LABELS or PERCENT%, found '{}'", a.reach));
  };
  if (a.reach.ends_with('%')) {
    const double percent = number(a.reach.substr(0, a.reach.size() - 1));
    if (percent != 100) internal::check_percent(percent, "--reach");
    return {.percent = percent};
  }
  const size_t at = a.reach.rfind('@');
  if (at == a.reach.npos) return {.error = number(a.reach)};
  const std::string name = a.reach.substr(0, at);
  if (std::count(all.begin(), all.end(), name) == 0)
    throw Error(Problem::usage, fmt::format("--reach: '{}' is not among the strategies{}", name,
                                            internal::did_you_mean(name, all)));
  return {.labels = number(a.reach.substr(at + 1)), .strategy = name};
}

void reach_of_curve(const Reach& reach, Replayed& r) {
  for (const LearningCurve& c : r.curves) {
    if (c.strategy != reach.strategy) continue;
    r.reach = internal::error_at(c, reach.labels);
    r.reach_words = fmt::format("{}, the error of {} with {:.0f} labels", internal::rounded(r.reach),
                                c.strategy, std::min(reach.labels, c.labels[c.labels.size() - 1]));
  }
}

void reach_of_all_labels(double percent, Replayed& r, const ReplayData& d, const Vector& errors) {
  const double full = errors.mean();
  const internal::ErrorGoal goal = internal::error_at_percent(d, full, percent);
  r.reach = goal.error;
  r.reach_words = r.classifies ? fmt::format("{}: {:g} % of the accuracy with all labels, {}",
                                             internal::rounded(r.reach), percent, internal::rounded(1 - full))
                               : fmt::format("{}: {:g} % of the way from no model ({}) to all labels ({})",
                                             internal::rounded(r.reach), percent,
                                             internal::rounded(goal.none), internal::rounded(full));
}

void check_arguments(LearnArguments& a) {
  bool best = false;
  for (const std::string& s : a.replay.strategies)
    if (parse_strategy(s).entry->question == Question::best) best = true;
  if ((a.maximize || a.replay.minimize) && !best)
    throw Error(Problem::usage, fmt::format("{}: none of the strategies looks for the best",
                                            a.maximize ? "--maximize" : "--minimize"));
  for (const std::string& p : {a.plot, a.where})
    if (!p.empty()) check_picture_name(p);
  check_request(a);
  if (a.noise.starts_with("column:"))
    throw Error(Problem::usage, "--noise: learn or a variance; noise by row is not known of labels to come");
  if (a.resume && (a.out.empty() || a.out == "-"))
    throw Error(Problem::usage, "--resume needs -o FILE: the runs so far are read from there");
  check_results_file(a.out, a.resume, a.overwrite);
  for (const char* option : {"--memory", "--forget"})
    if (!a.stream && given(*a.verb, option))
      throw Error(Problem::usage, fmt::format("{} needs --stream", option));
  for (const char* option : {"--batch", "--cost", "--stop-sd", "--stop-gain", "--stop-change"})
    if (a.stream && given(*a.verb, option))
      throw Error(
          Problem::usage,
          fmt::format("{} does not apply to --stream, where each point is decided when it arrives", option));
  a.memory.forget = a.forget == "oldest" ? Forget::oldest : Forget::redundant;
  const std::set<std::string> distinct(a.replay.strategies.begin(), a.replay.strategies.end());
  if (distinct.size() < a.replay.strategies.size())
    throw Error(Problem::usage, "--strategy: the same one was given twice");
}

std::vector<std::string> usual_strategies(bool classes, bool stream) {
  if (stream) return {"random", classes ? "svm-margin" : "uncertainty"};
  return {"random", "uncertainty", classes ? "svm-margin" : "variance-reduction"};
}

/// What stopping rules did to a strategy, or "".
std::string stopped_words(const std::string& strategy, const std::vector<Trial>& trials) {
  const internal::EarlyStops s = internal::early_stops(trials, strategy);
  if (!s.stopped) return "";
  return fmt::format(
      "{}: a rule stopped {} of {} repeats, after {:.0f} labels with an error of {} on average", strategy,
      s.stopped, s.repeats, s.labels, internal::rounded(s.error));
}

/// The replay, with progress, kept as it goes.
std::vector<Trial> trials_of(LearnArguments& a, const ReplayData& d, const Model<Row>& model,
                             const std::string& settings, Messages& messages) {
  std::unique_ptr<internal::FileLock> file_lock = lock_of(a.out, messages);
  KeptRuns kept;
  if (a.resume && std::filesystem::exists(a.out)) kept = read_runs(a.out, settings);
  messages.notes(kept.notes);
  const std::vector<Trial>& done = kept.runs;
  if (!done.empty())
    messages.note(fmt::format("{} taken over from {}", counted(std::ssize(done), "run"), a.out));
  Keeper keeper(a.out, std::move(file_lock), settings, done,
                std::ssize(a.replay.strategies) * a.replay.repeats);
  std::mutex mutex;
  std::string ahead;  // the latest forecast
  a.replay.forecast = [&](const std::string& words) {
    const std::lock_guard lock(mutex);
    ahead = "; " + words;
  };
  a.replay.progress = [&](double share) {
    const std::lock_guard lock(mutex);
    messages.progress(
        fmt::format("{} strategies, {} repeats{}", a.replay.strategies.size(), a.replay.repeats, ahead),
        share);
    return true;
  };
  a.replay.finished = [&](const Trial& run) { keeper.add(run); };
  std::vector<Trial> runs =
      a.stream ? replay_stream(d, model, a.replay, a.memory, done) : replay(d, model, a.replay, done);
  keeper.finish(runs);
  return runs;
}

/// What the trials came to.
Replayed evaluated(const LearnArguments& a, const Reach& reach, std::vector<Trial> trials,
                   const ReplayData& d, const Model<Row>& model) {
  Replayed r;
  r.runs = std::move(trials), r.curves = learning_curves(r.runs);
  r.target = a.target, r.unit = a.unit;
  r.classifies = d.kinds > 0, r.random_share = a.replay.random_share;
  r.baseline = internal::baseline_of(r.curves);
  if (reach.labels > 0)
    reach_of_curve(reach, r);
  else if (reach.percent > 0)
    reach_of_all_labels(reach.percent, r, d, internal::full_error(d, model, a.replay));
  else
    r.reach = reach.error, r.reach_words = internal::rounded(reach.error);
  r.compared = internal::compared(r.curves, r.baseline, r.reach);
  for (const LearningCurve& c : r.curves)
    if (std::string note = stopped_words(c.strategy, r.runs); !note.empty())
      r.notes.push_back(std::move(note));
  return r;
}

void run(LearnArguments a) {
  Messages messages(a.quiet);
  check_arguments(a);
  a.replay.seed = a.options.seed, a.replay.threads = a.options.threads, a.replay.unit = a.unit;
  Read pool = read(a, a.data, {}, messages);
  if (a.replay.strategies.empty()) a.replay.strategies = usual_strategies(!pool.classes.empty(), a.stream);
  const Reach reach = read_reach(a);
  const ReplayData d = data_of(a, pool, messages);
  const Selection& s = pool.training.selection;
  if (!a.where.empty() && d.x.cols() > 2)
    throw Error(Problem::usage, fmt::format("--where draws one or two inputs, there are {}", d.x.cols()));
  if (a.kernel == "auto")
    a.kernel = internal::default_kernel(s.schema, pool.classes.empty() ? "matern52()" : "se()");
  const Model<Row> model = model_of(s, a.kernel, a.mean);
  const std::string settings = settings_of(a, d);
  Replayed r = evaluated(a, reach, trials_of(a, d, model, settings, messages), d, model);
  r.classes = pool.classes;
  if (!a.plot.empty()) write_picture(a.plot, as_svg(curves_figure(r), {960, 0}));
  if (!a.where.empty()) write_picture(a.where, as_svg(where_figure(r, d.x, d.y, s.features), {960, 0}));
  if (a.out != "-") print(a.json ? learn_json(r) : learn_text(r));
  if (!a.json) messages.notes(r.notes);
}

std::string strategy_names() {
  std::vector<std::string> names;
  for (const StrategyEntry& e : strategies()) names.push_back(e.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_replay_options(CLI::App& verb, LearnArguments& a) {
  ReplayOptions& o = a.replay;
  verb.add_option("--strategy", o.strategies,
                  "Query strategy, may be repeated; covary strategies lists them: " + strategy_names())
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--budget", o.budget, "Number of labels, those of the start included")
      ->transform(whole(1, 10000000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--repeats", o.repeats, "Number of repeats, each with other test rows and another start")
      ->transform(whole(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--start", o.start,
                  "Number of random labels to begin with; 0: a few, by the number of inputs")
      ->transform(whole(0, 10000000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--batch", o.batch, "Number of labels chosen at a time")
      ->transform(whole(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--random", o.random_share, "Share of random picks, so that every candidate can be chosen")
      ->transform(number(0, 1))
      ->type_name("SHARE")
      ->capture_default_str();
  CLI::Option* up = verb.add_flag("--maximize", a.maximize, "The best is the largest target (default)");
  verb.add_flag("--minimize", o.minimize, "The best is the smallest target")->excludes(up);
  verb.add_option("--relearn", o.relearn,
                  "Numbers: factor of growth of the labels after which the hyper-parameters are fitted "
                  "again; 0: never")
      ->transform(not_negative())
      ->type_name("FACTOR")
      ->capture_default_str();
  verb.add_option(
          "--penalty", o.penalty,
          "Classes: penalty of the classifier for a label on the wrong side, the one svm-margin looks at; "
          "inf: a hard margin")
      ->transform(positive_or_infinite())
      ->type_name("C")
      ->capture_default_str();
  verb.add_option("--test", a.test, "Test rows (default: a share of POOL, others in each repeat)")
      ->type_name("FILE");
  verb.add_option("--test-share", o.test_share, "Share of POOL held out in each repeat, without --test")
      ->transform(open_share())
      ->type_name("SHARE")
      ->capture_default_str();
  verb.add_option("--cost", a.cost,
                  "Column with the cost of each label; candidates are then ranked by score per cost")
      ->type_name("NAME");
  verb.add_option("--limit", a.limit, "Number of rows to use, drawn at random; 0: all")
      ->transform(whole(0, 2000000000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_flag("--classify", a.classify, "Treat a target of numbers as classes");
}

void add_stop_options(CLI::App& verb, LearnArguments& a) {
  StopRules& s = a.replay.stop;
  verb.add_option("--stop-sd", s.largest_sd,
                  "Stop when no candidate's sd of f is larger, in units of the target; 0: off")
      ->transform(not_negative())
      ->type_name("SD")
      ->capture_default_str();
  verb.add_option("--stop-gain", s.gain,
                  "Stop when the score of the next label, per cost, is smaller; 0: off")
      ->transform(not_negative())
      ->type_name("GAIN")
      ->capture_default_str();
  verb.add_option("--stop-change", s.change,
                  "Stop when predictions move by less (rms, or share of classes); 0: off")
      ->transform(not_negative())
      ->type_name("CHANGE")
      ->capture_default_str();
  verb.add_option("--stop-rounds", s.rounds, "Number of consecutive rounds for --stop-change")
      ->transform(whole(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
}

void add_stream_options(CLI::App& verb, LearnArguments& a) {
  verb.add_flag("--stream", a.stream,
                "Candidates arrive one at a time in random order; each is queried or discarded at once");
  verb.add_option("--memory", a.memory.points, "Stream: number of labelled points kept")
      ->transform(whole(2, 100000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--forget", a.forget,
                  "Stream: point to drop when the memory is full: oldest, or redundant, the one that the "
                  "others predict best")
      ->check(CLI::IsMember({"redundant", "oldest"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str();
}

}  // namespace

Run add_replay(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "replay",
      "Replay query strategies on data whose labels are known: how many labels would have been enough?");
  verb->footer(
      "  covary replay pool.csv --target y --strategy random --strategy variance-reduction --budget 100 -o "
      "curves.csv\n"
      "  covary replay pool.csv --target y --random 0.2 --plot curves.svg\n"
      "  covary replay pool.csv --target y --stream --memory 200");
  auto a = std::make_shared<LearnArguments>();
  a->verb = verb;
  verb->add_option("POOL", a->data, "A CSV file of candidates with their labels, gzip or not")->required();
  add_table_options(*verb, *a, "Column to predict");
  add_replay_options(*verb, *a);
  add_stream_options(*verb, *a);
  verb->add_option("-k,--kernel", a->kernel,
                   "Kernel expression, see covary kernels; auto: matern52(), for classes se(), times a "
                   "kernel for each other type")
      ->type_name("EXPR")
      ->capture_default_str();
  verb->add_option("-m,--mean", a->mean, about_mean)->type_name("TREND")->capture_default_str();
  add_noise_option(*verb, *a, false);
  add_stop_options(*verb, *a);
  verb->add_option("--reach", a->reach,
                   "Error to reach, until which labels are counted: a number, STRATEGY@LABELS, or PERCENT% "
                   "of what all labels give (default: that of random at the end of the budget)")
      ->type_name("ERROR");
  verb->add_option("-o,--out", a->out, "Output file for every label of every run, as CSV")->type_name("FILE");
  verb->add_flag("--resume", a->resume, "Go on with the runs that are in -o FILE");
  verb->add_flag("--overwrite", a->overwrite, "Replace the runs that are in -o FILE");
  verb->add_option("--plot", a->plot, "Learning curves, as .svg or .png")->type_name("FILE");
  verb->add_option("--where", a->where,
                   "Picture of the labels that each strategy chose, for one or two inputs")
      ->type_name("FILE");
  verb->add_option("--unit", a->unit, "Unit of the target, used in messages")->type_name("UNIT");
  add_seed(*verb, a->options.seed);
  add_threads(*verb, a->options.threads);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
