// Numbers as they are typed: what an option takes is checked in one way, before anything is done with it.
// Every number is finite and decimal: nan, inf, 0x10 and 1e are usage errors that name the option.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace covary::cli {

/// The whole of `text` as a finite number, or nothing.
std::optional<double> number_in(const std::string& text);

/// "95,99" -> 95, 99. Throws a usage Error calling it `what`.
std::vector<double> numbers_in(const std::string& text, const std::string& what);

/// The same for intervals: from 1 up to but without 100 percent. A share, as 0.95, is refused with a hint.
std::vector<double> percents_in(const std::string& text, const std::string& what);

// What an option's ->transform takes: it is also what the option's value is read from.
CLI::Validator whole(std::int64_t lower, std::int64_t upper);
CLI::Validator number(double lower, double upper);
CLI::Validator positive();
CLI::Validator positive_or_infinite();
CLI::Validator not_negative();
CLI::Validator open_share();  // above 0, below 1

/// --seed N.
void add_seed(CLI::App& verb, std::uint64_t& seed);

}  // namespace covary::cli
