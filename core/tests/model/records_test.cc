// Tables as records: types by their cells, codes, and models that keep them.
#include "covary/model/records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/nodes/network.h"
#include "covary/model/model_file.h"
#include "support.h"

namespace covary::test::model_records_test {
namespace {

/// A table with one column x of these cells.
Table column(const std::vector<std::string>& cells) {
  std::string csv = "x\n";
  for (const std::string& cell : cells) csv += "\"" + cell + "\"\n";
  return read_csv(csv, {.delimiter = ',', .header = CsvOptions::Header::yes}, "t.csv");
}

ColumnType type_of(const std::vector<std::string>& cells) { return schema_of(column(cells), {"x"})[0].type; }

std::string refused(const std::vector<std::string>& cells, const std::vector<TypeRequest>& requests = {}) {
  return error_of([&] { schema_of(column(cells), {"x"}, requests); }, Problem::data);
}

Matrix encoded_as(const std::vector<std::string>& cells, const std::string& type) {
  const Table t = column(cells);
  return encoded(t, schema_of(t, {"x"}, {parse_type("x=" + type)}), internal::all_indices(t.rows()));
}

TEST(ColumnTypes, AreFoundByTheCells) {
  EXPECT_EQ(type_of({"1.5", "2"}), ColumnType::number);
  EXPECT_EQ(type_of({"1", "2"}), ColumnType::integer);
  EXPECT_EQ(type_of({"yes", "No", "yes"}), ColumnType::boolean);
  EXPECT_EQ(type_of({"2024-01-02", "2024-01-03"}), ColumnType::date);
  EXPECT_EQ(type_of({"2024-01-02T10:00", "2024-01-03T11:30"}), ColumnType::datetime);
  EXPECT_EQ(type_of({"Pd", "Pt", "Pd", "Pt", "Pd"}), ColumnType::category);
  EXPECT_EQ(type_of({"one text", "another", "a third"}), ColumnType::text);
  EXPECT_EQ(type_of({"a;b", "b;c", "a"}), ColumnType::set);
  EXPECT_EQ(type_of({"[]", "[]"}), ColumnType::set);
}

TEST(ColumnTypes, GraphsAndNodesOfANetwork) {
  const Table t = read_csv("g;n\n{\"nodes\":[\"C\"],\"edges\":[]};a\n{\"nodes\":2,\"edges\":[[0,1]]};b\n",
                           {.delimiter = ';'}, "t.csv");
  EXPECT_EQ(schema_of(t, {"g"})[0].type, ColumnType::graph);
  const auto network = read_network(std::vector<Network::NamedEdge>{{"a", "b", 1}, {"b", "c", 1}});
  EXPECT_EQ(schema_of(t, {"n"}, {}, network)[0].type, ColumnType::node);
  EXPECT_EQ(encoded(t, schema_of(t, {"n"}, {}, network), {0, 1}), (Vector(2) << 0, 1).finished());
}

TEST(ColumnTypes, DatesThatCannotBeAreRefusedWithTheirLine) {
  EXPECT_NE(refused({"2021-01-30", "2021-02-30"})
                .find("t.csv, line 3, column 'x': '2021-02-30' is no date: February 2021 has 28 days"),
            std::string::npos);
  EXPECT_NE(refused({"2021-01-30", "30.01.2021", "2021-01-31"}).find("line 3"), std::string::npos);
  EXPECT_NE(refused({"2021-01-30", "30.01.2021", "2021-01-31"}).find("one format for a column"),
            std::string::npos);
  EXPECT_NE(refused({"2021-01-30", "2021-01-31", "late"}).find("line 4"), std::string::npos);
  EXPECT_NE(refused({"01/02/2021", "03/04/2021"}).find("--type 'x=date(dmy)'"), std::string::npos);
  EXPECT_EQ(encoded_as({"01/02/2021"}, "date(dmy)")(0, 0) - encoded_as({"01/02/2021"}, "date(mdy)")(0, 0),
            30);
}

TEST(ColumnTypes, NumbersAreDatesWhereThatIsSaid) {
  EXPECT_EQ(type_of({"19580301", "19580401"}), ColumnType::integer);
  EXPECT_EQ(encoded_as({"19700103", "19700201"}, "date"), (Vector(2) << 2, 31).finished());
  EXPECT_EQ(encoded_as({"1970", "1971"}, "date"), (Vector(2) << 0, 365).finished());
  EXPECT_NE(refused({"19700103", "19700231"}, {parse_type("x=date")})
                .find("line 3, column 'x': '19700231' is no date: February 1970 has 28 days"),
            std::string::npos);
}

TEST(ColumnTypes, HalvesOfDaysAreOneFormat) {
  EXPECT_EQ(encoded_as({"1970-01-01 1:00 AM", "1970-01-01 1:00 PM"}, "datetime"),
            (Vector(2) << 3600, 46800).finished());
  EXPECT_NE(refused({"1970-01-01 1:00 AM", "1970-01-01 2:00"})
                .find("line 3, column 'x': expected a time with AM or PM as in '1970-01-01 1:00 AM'"),
            std::string::npos);
}

TEST(ColumnTypes, ASecondOrderOfDaysAndMonthsIsAnotherFormat) {
  const std::string said = refused({"01/30/2021", "02/28/2021", "31/01/2021"});
  EXPECT_NE(
      said.find("line 4, column 'x': expected a date as MM/DD/YYYY in the rows before, found '31/01/2021'"),
      std::string::npos)
      << said;
}

TEST(ColumnTypes, AFewCellsThatAreNoGraphsAreRefusedWithTheirLine) {
  const Table t =
      read_csv("g\tn\n{\"nodes\":[\"C\"],\"edges\":[]}\ta\nmethane\tc\n{\"nodes\":2,\"edges\":[[0,1]]}\tb\n",
               {.delimiter = '\t'}, "t.csv");
  const auto said = [&](const char* name, const std::shared_ptr<const Network>& network) {
    return error_of([&] { schema_of(t, {name}, {}, network); }, Problem::data);
  };
  EXPECT_NE(said("g", nullptr).find("t.csv, line 3, column 'g': expected a graph"), std::string::npos);
  EXPECT_NE(said("g", nullptr).find("found 'methane'"), std::string::npos);
  const auto network = read_network(std::vector<Network::NamedEdge>{{"a", "b", 1}});
  EXPECT_NE(said("n", network)
                .find("t.csv, line 3, column 'n': expected a node of the network as in most rows, found 'c'"),
            std::string::npos)
      << said("n", network);
  EXPECT_EQ(schema_of(t, {"n"}, {parse_type("n=text")}, network)[0].type, ColumnType::text);
}

TEST(ColumnTypes, ListsInBothNotationsAreSets) { EXPECT_EQ(type_of({"a;b", "[]", "c"}), ColumnType::set); }

TEST(Networks, BadEdgesHaveTheLineOfTheirTable) {
  const auto said = [](const std::string& edges) {
    const Table t = read_csv("from,to,w\n" + edges, {}, "roads.csv");
    return error_of([&] { read_network(t); }, Problem::data);
  };
  EXPECT_NE(said("a,b,1\nc,c,1\n")
                .find("roads.csv, line 3, column 'to': edge 2 ('c' to 'c') joins a node with itself"),
            std::string::npos);
  EXPECT_NE(
      said("a,b,1\nb,a,1\n").find("roads.csv, line 3, column 'to': edge 2 ('b' to 'a') was given before"),
      std::string::npos);
  EXPECT_NE(
      said("a,b,1\nb,c,-2\n")
          .find("roads.csv, line 3, column 'w': edge 2 ('b' to 'c') must have a positive weight, found -2"),
      std::string::npos);
}

std::string unreadable(const std::vector<std::string>& cells, const std::string& kernel) {
  const Table t = column(cells);
  const Schema s = schema_of(t, {"x"}, {parse_type("x=text")});
  const std::vector<Index> rows = internal::all_indices(t.rows());
  const Matrix x = encoded(t, s, rows);
  return error_of([&] { internal::check_readable(parse(kernel, s), t, s, rows, x, x.topRows(1)); },
                  Problem::data);
}

TEST(Readable, TheFirstRowThatAKernelCannotReadIsNamed) {
  EXPECT_NE(unreadable({"MKV", "MJ1"}, "substitution()").find("t.csv, line 3, column 'x': substitution: "),
            std::string::npos);
  EXPECT_NE(unreadable({"MK1", "MKV"}, "2 + substitution(lengthscale=3)").find("t.csv, line 2, column 'x'"),
            std::string::npos);
  EXPECT_NE(unreadable({"ACG", "AC", "A"}, "hamming()")
                .find("t.csv, line 3, column 'x': hamming: sequences must be aligned"),
            std::string::npos);
  EXPECT_NE(unreadable({"ACG", "ACG", "ACX"}, "mismatch(alphabet=dna) + spectrum()")
                .find("t.csv, line 4, column 'x'"),
            std::string::npos);
}

TEST(Readable, NumbersAreNamedByTheirLine) {
  const Table t = read_csv("lat,lon\n10,1\n95,2\n", {}, "t.csv");
  const Schema s = schema_of(t, {"lat", "lon"});
  const Matrix x = encoded(t, s, {0, 1});
  const auto check = [&](const Rows& some, const std::vector<Index>& rows) {
    internal::check_readable(parse("sphere_matern32()", s), t, s, rows, some, x.topRows(1));
  };
  EXPECT_NE(error_of(
                [&] {
                  check(x, {0, 1});
                },
                Problem::data)
                .find("t.csv, line 3: sphere_matern32: a latitude"),
            std::string::npos);
  EXPECT_NO_THROW(check(x.topRows(1), {0}));
}

TEST(ColumnTypes, AFewCellsThatAreNoNumbersAreRefusedAsBefore) {
  EXPECT_NE(refused({"1", "2", "3", "hot"}).find("line 5"), std::string::npos);
}

TEST(ColumnTypes, RequestsAreReadAndChecked) {
  const TypeRequest r = parse_type("size=category(small, medium, large)");
  EXPECT_EQ(r.column, "size");
  EXPECT_EQ(r.words, (std::vector<std::string>{"small", "medium", "large"}));
  for (const char* text : {"size", "=date", "size=dat", "size=date(ydm)", "size=text(a)", "size=category(a"})
    EXPECT_NE(error_of([&] { parse_type(text); }, Problem::usage).find("--type"), std::string::npos) << text;
  EXPECT_NE(error_of([] { parse_type("size=dat"); }, Problem::usage).find("did you mean"), std::string::npos);
}

TEST(ColumnTypes, LevelsAreSortedOrInTheOrderGiven) {
  EXPECT_EQ(encoded_as({"b", "a", "b"}, "category"), (Vector(3) << 1, 0, 1).finished());
  EXPECT_EQ(encoded_as({"10", "9", "10"}, "category"), (Vector(3) << 1, 0, 1).finished()) << "by value";
  EXPECT_EQ(encoded_as({"small", "large"}, "category(small, medium, large)"), (Vector(2) << 0, 2).finished());
  EXPECT_NE(refused({"small", "huge"}, {parse_type("x=category(small, large)")}).find("found 'huge'"),
            std::string::npos);
}

TEST(ColumnTypes, MissingCellsMayBeALevel) {
  const Table t = read_csv("x,y\na,1\n,2\nb,3\na,4\n", {}, "t.csv");
  const Schema s = schema_of(t, {"x"}, {parse_type("x=category(NA)")});
  EXPECT_TRUE(internal::required_columns(s).empty());
  const Matrix x = encoded(t, s, internal::all_indices(4));
  EXPECT_EQ(s.text(0, x(1, 0)), "NA");
  const Schema strict = schema_of(t, {"x"}, {parse_type("x=category")});
  EXPECT_NE(error_of([&] { encoded(t, strict, {1}); }, Problem::data).find("line 3, column 'x'"),
            std::string::npos);
}

struct Mixed {
  Table table;
  Schema schema;
  Matrix x;
  Vector y;
};

/// A response that depends on a number, a category and a sequence.
Mixed mixed(Index n) {
  Random rng(3);
  std::string csv = "temp,catalyst,sequence,day,y\n";
  for (Index i = 0; i < n; ++i) {
    std::string sequence;
    for (int k = 0; k < 8; ++k) sequence += "ACGT"[rng.integer(4)];
    const double temp = rng.uniform(), count = double(std::count(sequence.begin(), sequence.end(), 'A'));
    const Index catalyst = rng.integer(3);
    csv += fmt::format("{},{},{},2024-0{}-11,{}\n", temp, "PQR"[catalyst], sequence, 1 + rng.integer(9),
                       std::sin(4 * temp) + double(catalyst) + 0.3 * count + 0.01 * rng.normal());
  }
  Mixed m{read_csv(csv, {}, "t.csv"), {}, {}, {}};
  const std::vector<Index> rows = internal::all_indices(n);
  m.schema = schema_of(m.table, {"temp", "catalyst", "sequence", "day"});
  m.x = encoded(m.table, m.schema, rows);
  m.y = internal::numbers(m.table, {"y"}, rows).col(0);
  return m;
}

Request request_for(const Mixed& m, const std::string& kernel) {
  Request r;
  r.kernel = kernel, r.mean = "constant", r.noise = "learn", r.schema = m.schema;
  return r;
}

TEST(RecordModels, LearnFromEveryColumnAndAreKept) {
  const Mixed m = mixed(60);
  const std::string kernel = "on(temp, se()) * on(catalyst, category()) + on(sequence, spectrum(k=1))";
  const FittedModel model = fit(request_for(m, kernel), {m.x, m.y, m.schema.names(), "y"}, {.starts = 3});
  EXPECT_GT(model->summary.loo_skill, 0.9);
  for (const char* name : {"records.json", "records.covary"}) {
    const std::string path = ::testing::TempDir() + name;
    save_model(model, path);
    const FittedModel again = load_model(path);
    const Schema& s = again->request.schema;
    EXPECT_EQ(s[3].type, ColumnType::date);
    EXPECT_EQ(internal::type_summary(s, 1, again->x), "category of 3 levels");
    const Matrix x = encoded(m.table, s, {0, 5, 9});
    EXPECT_TRUE(same_bits(again.predict(x).mean, model.predict(pick(m.x, {0, 5, 9})).mean)) << name;
  }
}

TEST(RecordModels, AFileKeepsHowDatesAreWritten) {
  const Table t = read_csv("day,y\n19700103,1\n19700201,2\n19700305,4\n", {}, "t.csv");
  const Schema s = schema_of(t, {"day"}, {parse_type("day=date")});
  Request r;
  r.kernel = "se(lengthscale=1 month)", r.noise = "0.1", r.schema = s;
  const Matrix x = encoded(t, s, {0, 1, 2});
  const FittedModel model = fit(r, {x, (Vector(3) << 1, 2, 4).finished(), {"day"}, "y"}, {.starts = 1});
  const std::string path = ::testing::TempDir() + "compact_dates.json";
  save_model(model, path);
  EXPECT_EQ(load_model(path)->request.schema.text(0, x(2, 0)), "19700305");
}

TEST(RecordModels, UnseenCategoriesHaveTheCorrelationOfThePrior) {
  const Mixed m = mixed(60);
  const FittedModel model = fit(request_for(m, "on(temp, se()) * on(catalyst, category())"),
                                {m.x, m.y, m.schema.names(), "y"}, {.starts = 3});
  Matrix at = m.x.topRows(2);
  at(1, 1) = m.schema.code(1, "Z");
  at.row(1).segment(2, 2) = at.row(0).segment(2, 2), at(1, 0) = at(0, 0);
  const Prediction p = model.predict(at);
  EXPECT_TRUE(p.mean.allFinite());
  EXPECT_GT(p.sd[1], 3 * p.sd[0]);
  EXPECT_EQ(internal::new_texts(m.schema, 1, m.x, at), std::vector<std::string>{"Z"});
}

TEST(RecordModels, OrderOfRowsChangesNothing) {
  const Mixed m = mixed(40);
  std::vector<Index> turned = internal::all_indices(40);
  std::reverse(turned.begin(), turned.end());
  const Schema s = schema_of(m.table, m.schema.names());
  const Matrix x = encoded(m.table, s, turned);
  const std::string kernel =
      "on(temp, se(lengthscale=0.5)) * on(catalyst, category(correlation=0.3)) + on(sequence, spectrum(k=2))";
  const Kernel<Row> one = parse(kernel, m.schema), other = parse(kernel, s);
  EXPECT_TRUE(same_bits(one.cross(m.x, m.x), other.cross(x, x).reverse()));
}

TEST(RecordModels, WeightsReadNumbersAlone) {
  const Mixed m = mixed(20);
  Request r = request_for(m, "");
  r.model = "linear";
  EXPECT_NE(error_of(
                [&] {
                  fit(r, {m.x, m.y, m.schema.names(), "y"});
                },
                Problem::usage)
                .find("'catalyst' holds a category"),
            std::string::npos);
}

TEST(RecordModels, DefaultKernelsReadEveryColumn) {
  const Schema s({{.name = "t", .type = ColumnType::date},
                  {.name = "c", .type = ColumnType::category},
                  {.name = "my text", .type = ColumnType::text}});
  EXPECT_EQ(internal::default_kernel(s), "matern52() * category() * on(\"my text\", spectrum(k=3))");
  EXPECT_EQ(internal::default_kernel(Schema(std::vector<std::string>{"a"})), "matern52()");
}

}  // namespace
}  // namespace covary::test::model_records_test
