// The verbs of the command, one file each, and what they share.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "numbers.h"

namespace covary::cli {

/// Runs a verb once the command line has been read and understood.
using Run = std::function<void()>;

// Each adds its verb. A verb's footer is its example: help shows it before anything else.
Run add_fit(CLI::App& app);
Run add_predict(CLI::App& app);
Run add_sample(CLI::App& app);
Run add_check(CLI::App& app);
Run add_compare(CLI::App& app);
Run add_plot(CLI::App& app);
Run add_suggest(CLI::App& app);
Run add_tell(CLI::App& app);
Run add_posterior(CLI::App& app);
Run add_replay(CLI::App& app);
Run add_label(CLI::App& app);
Run add_place(CLI::App& app);
Run add_criteria(CLI::App& app);
Run add_strategies(CLI::App& app);
Run add_kernels(CLI::App& app);
Run add_demo(CLI::App& app);
Run add_completion(CLI::App& app);
Run add_man(CLI::App& app);

/// An option that takes one of a few words; another one is a usage Error that lists them.
CLI::Option* add_choice(CLI::App& verb, const std::string& names, std::string& value,
                        const std::vector<std::string>& choices, const std::string& about);

/// DATA, a table.
void add_data_argument(CLI::App& verb, std::string& path);

/// --json and --quiet.
void add_reporting(CLI::App& verb, bool& json, bool& quiet);

/// Whether an option was typed. (CLI::App::count ends the program where memory is short.)
bool given(const CLI::App& verb, const std::string& option);

/// Throws a usage Error "--option WHY" for the first of `options` that was typed.
void refuse_given(const CLI::App& verb, const std::vector<std::string>& options, const std::string& why);

/// --threads N.
void add_threads(CLI::App& verb, int& threads);
/// --device.
void add_device(CLI::App& verb, std::string& device);

/// "a, b" -> "a", "b"; a name that holds a comma stands in double quotes.
std::vector<std::string> names_in(const std::string& text);

}  // namespace covary::cli
