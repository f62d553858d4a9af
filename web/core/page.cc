// What the page calls: a line of the command, or one call with JSON in and out.
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calls.h"
#include "interrupt.h"
#include "run.h"

namespace {

char* handed_over(const std::string& text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out != nullptr) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

}  // namespace

extern "C" {

/// `arguments`: a JSON list, ["fit", "data.csv", "-t", "y"]. The exit code of the command; files are in memory.
int covary_run(const char* arguments) {
  auto words = nlohmann::json::parse(arguments).get<std::vector<std::string>>();
  words.insert(words.begin(), "covary");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  covary::cli::begin_anew();
  return covary::cli::run_command(static_cast<int>(words.size()), argv.data());
}

/// The answer to {"call": NAME, ...}, or {"error": ..., "kind": ...}; covary_free() it.
char* covary_call(const char* question) { return handed_over(covary::web::answer(question)); }

void covary_free(char* text) { std::free(text); }
}

int main() { return 0; }
