// Reads a list of features.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "basis/formula_reader.h"
#include "basis/item.h"
#include "covary/basis/basis.h"
#include "covary/kernels/explain.h"

namespace covary {
using namespace internal;
namespace {

FeatureItem formula_item(const Formula& formula) {
  FeatureItem item;
  item.text = formula.text();
  item.size = 1;
  item.columns = formula.columns();
  item.names = {formula.text()};
  item.fill = [formula](const Rows& x, Eigen::Ref<Matrix> phi) { phi.col(0) = formula(x); };
  return item;
}

/// list := item (',' item)*;  item := map | formula;  map := name '(' columns? arguments? ')'
class FeaturesReader {
 public:
  FeaturesReader(std::string_view text, const std::vector<std::string>& columns)
      : text_(text), at_(text, "features"), columns_(columns) {}

  std::vector<FeatureItem> read() {
    std::vector<FeatureItem> all;
    Index size = 0;
    do {
      for (FeatureItem& item : items()) {
        size += item.size;
        check_number_of_features(double(size), "those up to " + item.text);
        all.push_back(std::move(item));
      }
    } while (at_.eat(','));
    if (!at_.done()) at_.fail("expected an operator, ',' or the end, found " + at_.found());
    return all;
  }

 private:
  std::vector<FeatureItem> items() {
    if (at_.done() || at_.next_is(',')) at_.fail("expected a feature, found " + at_.found());
    if (const FeatureMaker* maker = map_name()) return maker->make(call(*maker));
    return {formula_item(read_formula(at_, columns_))};
  }

  /// The map that is called here, and the cursor behind its name; or null, and the cursor stays.
  const FeatureMaker* map_name() {
    const size_t start = at_.mark(), position = at_.position();
    if (!at_.at_word()) return nullptr;
    const std::string name = at_.word();
    const bool called = at_.next_is('(');
    std::vector<std::string> known = formula_functions();
    if (called || std::find(columns_.begin(), columns_.end(), name) == columns_.end())
      for (const FeatureMaker& m : feature_makers()) {
        if (m.name == name) return &m;
        known.push_back(m.name);
      }
    if (called && std::find(known.begin(), known.end(), name) == known.end())
      at_.fail_at(position,
                  fmt::format("no function or map is named '{}'{}", name, did_you_mean(name, known)));
    at_.back_to(start);
    return nullptr;
  }

  MapCall call(const FeatureMaker& maker) {
    MapCall c{maker.name, text_, {}, columns_, {}};
    if (at_.eat('(')) {
      if (!at_.next_is(')')) {
        do part(maker, c);
        while (at_.eat(','));
      }
      at_.expect(')');
    }
    if (columns_.empty()) at_.fail(maker.name + " needs columns, there are none");
    if (c.columns.empty())
      for (Index k = 0; k < std::ssize(columns_); ++k) c.columns.push_back(k);
    return c;
  }

  /// A column, a list of columns, a value, or NAME=VALUE.
  void part(const FeatureMaker& maker, MapCall& c) {
    MapArgument a;
    a.position = at_.position();
    const size_t start = at_.mark();
    if (at_.at_word()) {
      a.name = at_.word();
      if (!at_.eat('=')) a.name.clear(), at_.back_to(start);
    }
    if (a.name.empty() && at_columns()) return columns(c);
    name(maker, c, a);
    value(a);
    c.arguments.push_back(std::move(a));
  }

  bool at_columns() {
    const size_t start = at_.mark();
    at_.eat('[');
    const bool found = at_.at_word() || at_.next_is('"');
    at_.back_to(start);
    return found;
  }

  void columns(MapCall& c) {
    if (!c.arguments.empty()) at_.fail("columns come before the arguments, found " + at_.found());
    const bool list = at_.eat('[');
    do column(c);
    while (list && at_.eat(','));
    if (list) at_.expect(']');
  }

  void column(MapCall& c) {
    const size_t position = at_.position();
    const std::string name = at_.column();
    const Index k = column_named(at_, position, name, columns_);
    if (std::find(c.columns.begin(), c.columns.end(), k) != c.columns.end())
      at_.fail_at(position, fmt::format("{} is given the column '{}' twice", c.name, name));
    c.columns.push_back(k);
  }

  /// The name of an argument that has none is that of its place.
  void name(const FeatureMaker& maker, const MapCall& c, MapArgument& a) {
    const std::vector<std::string>& known = maker.arguments;
    if (a.name.empty() && c.arguments.size() >= known.size())
      at_.fail_at(a.position, fmt::format("{} takes at most {} arguments", maker.name, known.size()));
    if (a.name.empty()) a.name = known[c.arguments.size()];
    if (a.name == "centres") a.name = "centers";  // in files of earlier versions
    if (std::find(known.begin(), known.end(), a.name) == known.end())
      at_.fail_at(a.position, fmt::format("{} has no argument '{}'{} (it has: {})", maker.name, a.name,
                                          did_you_mean(a.name, known), fmt::join(known, ", ")));
    if (c.find(a.name)) at_.fail_at(a.position, fmt::format("{} is given '{}' twice", maker.name, a.name));
  }

  void value(MapArgument& a) {
    if (a.name == "kernel") {
      constexpr size_t longest = 65'536;
      a.kernel = at_.balanced(',', ')');
      if (a.kernel.size() > longest)
        at_.fail_at(a.position,
                    fmt::format("a kernel has at most {} characters, found {}", longest, a.kernel.size()));
      return;
    }
    if (!(a.list = at_.eat('['))) {
      a.values = {at_.number("a number or a list")};
      return;
    }
    do a.values.push_back(at_.number("a number"));
    while (at_.eat(','));
    at_.expect(']');
  }

  std::string_view text_;
  Cursor at_;
  const std::vector<std::string>& columns_;
};

bool is_map(const std::string& name) {
  const auto& makers = feature_makers();
  return std::any_of(makers.begin(), makers.end(), [&](const FeatureMaker& m) { return m.name == name; });
}

}  // namespace

std::vector<std::string> internal::named_columns(const std::string& features) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (Cursor at(features, "features"); !at.done();) {
    if (at.at_digits()) {
      (void)at.number("a number");
    } else if (at.next_is('"')) {
      add(at.column());
    } else if (at.at_word()) {
      const std::string name = at.word();
      if (!at.next_is('(') && !at.next_is('=') && !is_map(name)) add(name);
    } else {
      at.back_to(at.mark() + 1);  // behind a sign: done() has skipped the spaces
    }
  }
  return all;
}

/// The item on rows with some columns held.
static FeatureItem holding(const HeldColumns& held, FeatureItem item) {
  if (item.fill)
    item.fill = [held, fill = item.fill](const Rows& x, Eigen::Ref<Matrix> phi) {
      fill(with_held(x, held), phi);
    };
  if (item.place)
    item.place = [held, place = item.place](const Rows& x) {
      return holding(held, place(with_held(x, held)));
    };
  return item;
}

static std::vector<FeatureItem> items_of(const std::string& text, const std::vector<std::string>& columns) {
  constexpr size_t longest = size_t{1} << 26;
  if (text.size() > longest)
    throw Error(Problem::limit,
                fmt::format("features: a list has at most {} characters, found {}", longest, text.size()));
  return FeaturesReader(text, columns).read();
}

Features parse_features(const std::string& text, const std::vector<std::string>& columns) {
  return {items_of(text, columns), columns};
}

Features parse_features(const std::string& text, const std::vector<std::string>& columns,
                        const HeldColumns& held) {
  std::vector<FeatureItem> items = items_of(text, columns);
  for (FeatureItem& item : items) item = holding(held, std::move(item));
  return {std::move(items), columns};
}

std::vector<Index> internal::columns_used(const std::string& features,
                                          const std::vector<std::string>& columns) {
  std::set<Index> used;
  for (const FeatureItem& item : items_of(features, columns))
    used.insert(item.columns.begin(), item.columns.end());
  return {used.begin(), used.end()};
}

}  // namespace covary
