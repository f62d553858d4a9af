// The calls of the page that have to answer within a frame: JSON in, JSON out, and no mathematics. Everything else
// of the page is a line of the command.
#pragma once
#include <string>

namespace covary::web {

/// {"call": NAME, ...} -> the answer, or {"error": message, "kind": "usage"}.
std::string answer(const std::string& question);

}  // namespace covary::web
