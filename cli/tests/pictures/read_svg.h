// A picture as tests see it: whether it is well-formed XML, its elements, its texts and where they lie.
#pragma once
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>
#include <vector>

namespace covary::cli {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside it, entities resolved
};

/// Reads the little XML that pictures are made of; throws std::runtime_error where it is not well-formed.
class XmlReader {
 public:
  explicit XmlReader(const std::string& text) : text_(text) {}

  std::vector<Element> read() {
    skip_space();
    element();
    skip_space();
    expect(at_ == text_.size(), "something after the root");
    return std::move(all_);
  }

 private:
  void expect(bool good, const std::string& what) const {
    if (!good) throw std::runtime_error(what + " at " + std::to_string(at_) + ": " + text_.substr(at_, 60));
  }
  char next() {
    expect(at_ < text_.size(), "the end");
    return text_[at_++];
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string word() {
    const size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-'))
      ++at_;
    expect(at_ > from, "no name");
    return text_.substr(from, at_ - from);
  }
  std::string until(char end) {
    std::string out;
    while (at_ < text_.size() && text_[at_] != end) {
      const char c = next();
      expect(c != '<' && (static_cast<unsigned char>(c) >= 0x20 || c == '\n'), "a forbidden character");
      out += c == '&' ? entity() : c;
    }
    expect(at_ < text_.size(), "the end");
    return out;
  }
  char entity() {
    const size_t end = text_.find(';', at_);
    expect(end != text_.npos, "a bare &");
    const std::string name = text_.substr(at_, end - at_);
    at_ = end + 1;
    const std::map<std::string, char> known{{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}};
    expect(known.count(name) == 1, "entity " + name);
    return known.at(name);
  }

  void element() {
    expect(next() == '<', "no element");
    const size_t mine = all_.size();
    all_.push_back({word(), {}, ""});
    for (skip_space(); text_[at_] != '>' && text_[at_] != '/'; skip_space()) {
      const std::string name = word();
      expect(next() == '=' && next() == '"', "no value");
      expect(all_[mine].attributes.count(name) == 0, "an attribute twice");
      all_[mine].attributes[name] = until('"');
      ++at_;
    }
    if (next() == '/') return expect(next() == '>', "no end of " + all_[mine].name);
    for (;;) {
      all_[mine].text += until('<');
      if (text_.compare(at_, 2, "</") == 0) break;
      element();
    }
    at_ += 2;
    expect(word() == all_[mine].name && next() == '>', "another element is closed than " + all_[mine].name);
  }

  const std::string& text_;
  size_t at_ = 0;
  std::vector<Element> all_;
};

/// The elements of a picture; a failure if it is not well-formed.
inline std::vector<Element> elements(const std::string& svg) {
  try {
    return XmlReader(svg).read();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "not well-formed: " << e.what();
    return {};
  }
}

inline size_t number_of(const std::vector<Element>& all, const std::string& name) {
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [&](const Element& e) { return e.name == name; }));
}

/// Whether some text of the picture contains `part`.
inline bool says(const std::vector<Element>& all, const std::string& part) {
  return std::any_of(all.begin(), all.end(), [&](const Element& e) {
    return e.name == "text" && e.text.find(part) != std::string::npos;
  });
}

struct TextBox {
  double left, top, right, bottom;
  std::string text;
};

/// Where the texts lie, if a character is 0.57 times as wide as the letters are high.
inline std::vector<TextBox> text_boxes(const std::vector<Element>& all) {
  std::vector<TextBox> out;
  const double size = std::stod(all.at(0).attributes.at("font-size"));
  for (const Element& e : all) {
    if (e.name != "text") continue;
    const auto get = [&](const std::string& name) {
      const auto it = e.attributes.find(name);
      return it == e.attributes.end() ? std::string() : it->second;
    };
    const double high = get("font-size").empty() ? size : std::stod(get("font-size"));
    const auto characters = static_cast<double>(
        std::count_if(e.text.begin(), e.text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    const double wide = 0.57 * high * characters;
    const double before = get("text-anchor") == "end" ? wide : get("text-anchor") == "middle" ? wide / 2 : 0;
    if (get("transform").empty()) {
      const double x = std::stod(get("x")), y = std::stod(get("y"));
      out.push_back({x - before, y - 0.75 * high, x - before + wide, y + 0.2 * high, e.text});
    } else {
      double x = 0, y = 0;
      EXPECT_EQ(std::sscanf(get("transform").c_str(), "translate(%lf %lf) rotate(-90)", &x, &y), 2);
      out.push_back({x - 0.75 * high, y + before - wide, x + 0.2 * high, y + before, e.text});
    }
  }
  return out;
}

/// Every text lies inside the picture, and no two of them touch.
inline void expect_readable(const std::string& svg) {
  const std::vector<Element> all = elements(svg);
  ASSERT_FALSE(all.empty());
  const double width = std::stod(all[0].attributes.at("width")),
               height = std::stod(all[0].attributes.at("height"));
  const std::vector<TextBox> boxes = text_boxes(all);
  for (size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& a = boxes[i];
    EXPECT_TRUE(a.left >= 0 && a.top >= 0 && a.right <= width && a.bottom <= height)
        << "cut off: '" << a.text << "' at " << a.left << ", " << a.top << " to " << a.right << ", "
        << a.bottom;
    for (size_t j = 0; j < i; ++j) {
      const TextBox& b = boxes[j];
      EXPECT_FALSE(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          << "'" << a.text << "' touches '" << b.text << "'";
    }
  }
}

}  // namespace covary::cli
