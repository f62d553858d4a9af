// A model record as JSON, and back.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "covary/model/fitted_model.h"

namespace covary {

/// The arrays of a record, where its JSON does not hold them.
struct ModelArrays {
  Matrix x;            // n x d
  Vector y, noise_sd;  // n; none unless each row has a noise of its own
};

/// In parts: nothing as large as the arrays is ever made.
void write_json(const ModelRecord& model, const std::function<void(std::string_view)>& write);
std::string json_without_arrays(const ModelRecord& model);

/// Of a payload of that version; the arrays are moved from. Throws Problem::data or a JSON exception.
ModelRecord record_from_json(const nlohmann::ordered_json& payload, int version,
                             ModelArrays* arrays = nullptr);

}  // namespace covary
