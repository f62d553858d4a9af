// Suggestions for a verb or an option that does not exist.
#pragma once
#include <string>
#include <vector>

namespace covary::cli {

/// ", did you mean 'fit'? The verbs are ...": what other programs call it, or the nearest name, and all
/// verbs.
std::string verb_hint(const std::string& typed, const std::vector<std::string>& verbs);

/// The same of an option of `verb` ("" of the command itself), with where its options are listed if none is
/// near.
std::string option_hint(const std::string& typed, const std::vector<std::string>& options,
                        const std::string& verb);

}  // namespace covary::cli
