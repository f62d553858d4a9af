// Detects the dialect of a CSV text from its first records.
#pragma once
#include <string>
#include <vector>

#include "covary/table/table.h"
#include "table/csv/field.h"
#include "table/csv/window.h"

namespace covary::csv {

/// The dialect that `options` leave open, as guessed from what the window shows; each guess that is not the
/// plain one (',' between fields, '.' in numbers) is added to `notes`. Throws Problem::data if the decimal
/// mark is ambiguous, Problem::usage if the options contradict each other.
///
/// Delimiter: what a line `sep=;` says. Otherwise of , ; tab | those that give every record the same number
/// of fields, more than one (the first may lack the field that names the rows, or an empty last one); of
/// these the one that makes the most fields numbers, then the one that makes the most fields. If none does,
/// the one most frequent in the first record. Decimal mark: '.' if fields are separated by ','. Otherwise ','
/// if fields like 1,5 are seen and none like 1.5; ambiguous if both are seen, or if each of the former might
/// as well be thousands, like 1,500.
Dialect sniff(const Window& window, const CsvOptions& options, std::vector<std::string>& notes);

/// The hint of an error where a line seems to be a comment.
std::string comment_hint(char mark);

/// Whether a first record is data rather than names: all numbers or missing, none empty, at least one number.
bool all_numbers(const std::vector<Field>& record, char decimal);

}  // namespace covary::csv
