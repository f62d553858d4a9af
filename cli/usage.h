// The command line as data: what --json-usage prints, and what completions and the manual page are made from.
#pragma once
#include <nlohmann/json.hpp>

namespace CLI {
class App;
}

namespace covary::cli {

/// {"name": "covary", "about": ..., "examples": [...], "options": [...], "verbs": [...]}, where an option is
/// {"names": ["-t", "--target"], "value": "NAME", "choices": [...], "about": ..., "default": ..., "required":
/// false}; one without names is an argument, and one without value a flag.
nlohmann::ordered_json usage(const CLI::App& app);

}  // namespace covary::cli
