#include "covary/model/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "covary/base/output_file.h"
#include "covary/base/ranks.h"
#include "covary/base/runtime.h"
#include "model/model_json.h"
#include "model/sealed_json.h"
#include "model/tensor_file.h"

namespace covary {
using namespace internal;
namespace {

using nlohmann::ordered_json;
using Put = PutText;

const SealedFormat& model_format() {
  static const SealedFormat model{
      .name = "covary model",
      .newest = 7,
      .what = "a Covary model file",
      .if_table =
          "this looks like a table, not a Covary model file (what covary fit -o writes): the model "
          "comes first",
      .checked_from = 2};
  return model;
}

[[noreturn]] void refuse_model(const std::string& source, const std::string& why) {
  throw Error(Problem::data, fmt::format("{}: {}", source, why));
}

void check_no_functions(const Request& request) {
  const auto refuse = [](const char* what, const std::string& name) {
    throw Error(Problem::usage, fmt::format("the {} '{}', a function of this program: a model file cannot "
                                            "hold it",
                                            what, name));
  };
  if (!request.functions.empty()) refuse("kernel uses", request.functions[0]->name);
  if (request.mean_function) refuse("mean is", request.mean_function->name);
}

ModelRecord checked_record(const ordered_json& payload, int version, const std::string& source,
                           ModelArrays* arrays = nullptr) {
  try {
    return record_from_json(payload, version, arrays);
  } catch (const ordered_json::exception& e) {
    refuse_model(source, fmt::format("not a complete model: {}", e.what()));
  } catch (const Error& e) {
    refuse_model(source, e.what());
  }
}

// --------------------------------------------------------------------------------------------------- binary

/// From so many distinct rows on, reading a factor is faster than computing it: n^2/2 doubles at 1 GB/s beside
/// n^3/3 flops at 20 Gflop/s.
constexpr Index factor_kept_from = 256;

std::vector<TensorOut> arrays_of(const FittedModel& model, const std::optional<PosteriorState>& state) {
  const ModelRecord& m = model.record();
  const auto of_vector = [](const char* name, const Vector& v) {
    return TensorOut{name, {v.size()}, [&v](const auto& put) {
                       put({v.data(), static_cast<size_t>(v.size())});
                     }};
  };
  std::vector<TensorOut> out{{"x", {m.x.rows(), m.x.cols()}, [&m](const auto& put) {
                                for (Index i = 0; i < m.x.rows(); ++i) {
                                  const Vector row = m.x.row(i);
                                  put({row.data(), static_cast<size_t>(row.size())});
                                }
                              }}};
  out.push_back(of_vector("y", m.y));
  if (m.noise.per_row()) out.push_back(of_vector("noise_sd", m.noise.sd));
  if (state) {
    const Index n = state->factor.size();
    out.push_back(
        {"factor", {n * (n + 1) / 2}, [&state](const auto& put) { state->factor.for_columns(put); }});
  }
  return out;
}

/// Of a posterior that is worth keeping: an exact one of many rows.
std::optional<PosteriorState> state_of(const FittedModel& model) {
  if (model->weights || model->y.size() < factor_kept_from) return {};
  const std::optional<Posterior<Row>>& posterior = model.process().posterior();
  std::optional<PosteriorState> state = posterior ? posterior->state() : std::nullopt;
  return state && state->factor.size() >= factor_kept_from ? state : std::nullopt;
}

void write_binary(const FittedModel& model, const Put& write) {
  const std::optional<PosteriorState> state = state_of(model);
  TensorMetadata metadata{{"format", model_format().name},
                          {"version", std::to_string(model_format().newest)},
                          {"written_by", "covary " COVARY_VERSION},
                          {"model", json_without_arrays(model.record())}};
  if (state) {
    const Conditioning& c = state->factor.conditioning();
    metadata["factor"] = ordered_json{
        {"rows", state->factor.size()},
        {"of_whole_kernel", state->whole},
        {"jitter", c.jitter},
        {"reciprocal_condition", c.reciprocal_condition},
        {"twins",
         {c.row, c.twin}}}.dump();
  }
  write_tensors(metadata, arrays_of(model, state), write);
}

/// The version a binary file says, or a refusal.
int version_of(const TensorMetadata& metadata, const std::string& source) {
  const auto found = [&](const char* key) {
    const auto at = metadata.find(key);
    return at == metadata.end() ? std::string() : at->second;
  };
  if (found("format") != model_format().name)
    refuse_model(source, "holds arrays, but is not a Covary model file");
  const std::string version = found("version");
  if (version.empty() || version.size() > 6 || version.find_first_not_of("0123456789") != version.npos)
    refuse_model(source, "not a Covary model file: it has no version");
  check_version(std::stoi(version), found("written_by"), model_format(), source);
  return std::stoi(version);
}

/// n(n + 1)/2 = size, or -1.
Index rows_of_triangle(Index size) {
  const auto n = static_cast<Index>((std::sqrt(8 * double(size) + 1) - 1) / 2);
  for (Index k = std::max<Index>(0, n - 1); k <= n + 1; ++k)
    if (k * (k + 1) / 2 == size) return k;
  return -1;
}

Factor read_factor(TensorReader& file, const TensorReader::Array& array, const ordered_json& about) {
  const Index n = rows_of_triangle(array.size);
  if (n < 0 || about.at("rows") != n) throw Error(Problem::data, "the factor is not a triangle");
  Conditioning c;
  c.jitter = about.at("jitter").get<double>();
  c.reciprocal_condition = about.at("reciprocal_condition").get<double>();
  c.row = about.at("twins").at(0).get<Index>(), c.twin = about.at("twins").at(1).get<Index>();
  Factor factor = Factor::from_columns(n, c, [&](std::span<double> column) { file.fill(column); });
  file.end(array);
  return factor;
}

FittedModel read_binary(InputFile& in) {
  const std::string& source = in.source();
  TensorReader file([&](void* to, size_t bytes) { return in.read(to, bytes); }, in.bytes(), source);
  const int version = version_of(file.metadata(), source);
  try {
    ModelArrays arrays;
    std::optional<PosteriorState> state;
    for (const TensorReader::Array& a : file.arrays()) {
      if (a.name == "x" && a.shape.size() == 2) {
        const Vector all = file.read_vector(a);
        arrays.x = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(all.data(), a.shape[0],
                                                                                    a.shape[1]);
      } else if (a.name == "y") {
        arrays.y = file.read_vector(a);
      } else if (a.name == "noise_sd") {
        arrays.noise_sd = file.read_vector(a);
      } else if (a.name == "factor") {
        const ordered_json about = ordered_json::parse(file.metadata().at("factor"));
        state = PosteriorState{read_factor(file, a, about), about.at("of_whole_kernel").get<bool>()};
      } else {
        refuse_model(source, fmt::format("holds an array '{}' that is not part of a model", a.name));
      }
    }
    file.finish();
    ModelRecord record =
        checked_record(ordered_json::parse(file.metadata().at("model")), version, source, &arrays);
    return state ? FittedModel(std::move(record), std::move(*state)) : FittedModel(std::move(record));
  } catch (const ordered_json::exception& e) {
    refuse_model(source, fmt::format("not a complete model: {}", e.what()));
  } catch (const std::out_of_range&) {
    refuse_model(source, "not a complete model: its header lacks a part");
  }
}

}  // namespace

std::string model_text(const FittedModel& model) {
  std::string out;
  write_model(model, "", [&](std::string_view part) { out += part; });
  return out;
}

FittedModel parse_model(std::string_view text, const std::string& source) {
  const Opened file = opened(text, model_format(), source);
  return FittedModel(checked_record(file.model, file.version, source));
}

void internal::write_model(const FittedModel& model, const std::string& name, const Put& write) {
  check_no_functions(model->request);
  if (name.ends_with(".covary")) return write_binary(model, write);
  write_sealed(
      model_format(), [&](const Put& put) { write_json(model.record(), put); }, write);
}

void save_model(const FittedModel& model, const std::string& path) {
  OutputFile file(path);
  write_model(model, path, [&](std::string_view part) { file.write(part); });
  file.commit();
}

FittedModel load_model(const std::string& path) {
  InputFile file(path, model_format(), true);
  if (begins_as_tensors(file.beginning())) return read_binary(file);
  return parse_model(sealed_text(file, model_format()), file.source());
}

bool internal::is_model_file(const std::string& path) {
  if (path == "-") return false;
  char first[9] = {};
  const std::shared_ptr<std::FILE> file = open_to_read(path);
  const std::string_view begins(first, file ? std::fread(first, 1, sizeof first, file.get()) : 0);
  return begins.starts_with('{') || begins_as_tensors(begins);
}

}  // namespace covary
