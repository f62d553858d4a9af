// Sets in the cells of a table: both ways to write them, what is wrong with others, and back.
#include "covary/kernels/sets/item_set.h"

#include <gtest/gtest.h>

#include <limits>

#include "support.h"

namespace covary::test::item_set_test {
namespace {

ItemSet set_of(std::vector<std::string> items, std::vector<double> weights) {
  return {std::move(items), std::move(weights)};
}

TEST(ItemSet, ListsAndJsonSayTheSame) {
  const ItemSet plain = set_of({"a", "b", "c"}, {1, 1, 1}), weighted = set_of({"a", "b"}, {2, 0.5});
  for (const char* cell : {"c;a;b", " b ; a;c ", "[\"c\", \"b\", \"a\"]", "a:1;b:1;c:1", "a:1;b:1;c:1;d:0"})
    EXPECT_EQ(read_item_set(cell), plain) << cell;
  for (const char* cell : {"a:2;b:0.5", "b: 5e-1; a : 2", "{\"b\": 0.5, \"a\": 2}", "a:1;b:0.5;a:1"})
    EXPECT_EQ(read_item_set(cell), weighted) << cell;
  for (const char* cell : {"", "  ", "[]", "{}", " [ ] ", "a:0"})
    EXPECT_EQ(read_item_set(cell), ItemSet{}) << cell;
  EXPECT_EQ(read_item_set("[1, 2.5, \"x\", 1]"), set_of({"1", "2.5", "x"}, {2, 1, 1}));
  EXPECT_EQ(read_item_set("x;y;x"), set_of({"x", "y"}, {2, 1})) << "an item that is repeated counts again";
}

TEST(ItemSet, AColonIsAWeightOnlyInFrontOfANumber) {
  EXPECT_EQ(read_item_set("urn:x;y"), set_of({"urn:x", "y"}, {1, 1}));
  EXPECT_EQ(read_item_set("urn:x:3;y:2"), set_of({"urn:x", "y"}, {3, 2}));
  EXPECT_EQ(read_item_set("[\"a:2\"]"), set_of({"a:2"}, {1}));
}

TEST(ItemSet, ErrorsNameTheItem) {
  const auto said = [](const char* cell) { return error_of([&] { read_item_set(cell); }, Problem::data); };
  const std::pair<const char*, const char*> all[] = {
      {"a;;b", "item 2: expected a name"},
      {"a;b;", "item 3: expected a name"},
      {":3", "item 1: expected a name"},
      {"a:1;b", "item 2 ('b'): expected a weight"},
      {"a:-1", "item 1 ('a'): expected a weight of 0 or more, found -1"},
      {"a:inf", "item 1 ('a'): expected a weight of 0 or more, found inf"},
      {"a:1e308;a:1e308", "item 2 ('a'): the sum of its weights is not finite"},
      {"[\"a\", [\"b\"]]", "item 2: expected a text or a number, found array"},
      {"[true]", "item 1: expected a text or a number, found boolean"},
      {"{\"a\": \"2\"}", "item 1 ('a'): expected a number as its weight, found string"},
      {"{\"a\": 1, \"a\": 2}", "the name 'a' is there twice"},
      {"[\"a\"", "expected JSON"},
      {"[\"a\"] b", "expected JSON"},
      {"[[[[\"a\"]]]]", "at most 3 levels of brackets"},
  };
  for (const auto& [cell, words] : all) EXPECT_NE(said(cell).find(words), std::string::npos) << said(cell);
}

TEST(ItemSet, DeepNestingIsRefusedAndNotFollowed) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(error_of([&] { read_item_set(deep); }, Problem::data).find("brackets"), std::string::npos);
}

TEST(ItemSet, TextReadsBack) {
  const char* names[] = {"a", "b c", "x;y", "x:1",      "\"q\"", "",    " s",
                         "[", "{}",  "\n",  "\xC3\xA4", "1",     "null"};
  Random rng(1);
  for (int round = 0; round < 300; ++round) {
    ItemSet s;
    std::vector<std::string> items;
    for (const Index i : rng.subset(std::ssize(names), rng.integer(5))) items.emplace_back(names[i]);
    std::sort(items.begin(), items.end());
    s.items = items;
    const bool plain = rng.uniform() < 0.5;
    for (size_t i = 0; i < items.size(); ++i) s.weights.push_back(plain ? 1 : std::exp(rng.normal()));
    const std::string text = text_of(s);
    EXPECT_EQ(read_item_set(text), s) << text;
  }
  EXPECT_EQ(text_of(set_of({"a", "b"}, {1, 1})), "a;b");
  EXPECT_EQ(text_of(set_of({"a", "b"}, {2, 0.5})), "a:2;b:0.5");
  EXPECT_EQ(text_of(set_of({"a:1", "b"}, {1, 1})), "[\"a:1\",\"b\"]");
  EXPECT_EQ(text_of(ItemSet{}), "");
  EXPECT_NE(error_of([] { text_of(set_of({"\xFF;"}, {1})); }, Problem::data).find("UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::item_set_test
