#include "algebra/remote/cuda.h"

#include <fmt/format.h>

#ifndef __EMSCRIPTEN__
#include <dlfcn.h>
#endif

#include <algorithm>
#include <cmath>
#include <mutex>

#include "covary/base/error.h"
#include "covary/base/ranks.h"

namespace covary {
using namespace internal;
namespace {

constexpr double gib = 1 << 30;
constexpr int most_columns = 8;  // of [y F], for the estimate of memory
constexpr const char* file_name = "libcovary_cuda.so";

class CudaMatrix final : public RemoteMatrix {
 public:
  CudaMatrix(const CudaModule& module, int device, Index n) : m_(module), n_(n) {
    done(m_.create(device, n, &state_), "taking the memory of a matrix");
  }
  ~CudaMatrix() override { m_.destroy(state_); }
  CudaMatrix(const CudaMatrix&) = delete;
  CudaMatrix& operator=(const CudaMatrix&) = delete;

  Index size() const override { return n_; }

  void fill(const Gram& gram, const Vector& noise, int threads) override {
    const std::scoped_lock lock(turn_);
    if (const ProgramOnPoints* p = gram.program.get()) {
      slots_ = p->program->slots;
      done(m_.points(state_, p->program.get(), p->points.data(), int(p->points.cols())),
           "sending the points");
      done(m_.fill(state_), "filling the covariances");
    } else {
      send(gram, threads);
    }
    done(m_.add_diagonal(state_, noise.data()), "adding the noise");
  }
  double norm() const override {
    const std::scoped_lock lock(turn_);
    double out = 0;
    done(m_.norm(state_, &out), "norm");
    return out;
  }
  Vector diagonal() const override {
    const std::scoped_lock lock(turn_);
    Vector out(n_);
    done(m_.get_diagonal(state_, out.data()), "diagonal");
    return out;
  }
  Index factorize() override {
    const std::scoped_lock lock(turn_);
    long long row = 0;
    done(m_.factorize(state_, &row), "factorization");
    return Index(row);
  }
  void solve(Matrix& b, bool transposed) const override {
    const std::scoped_lock lock(turn_);
    done(m_.solve(state_, transposed, b.data(), b.cols()), "triangular solve");
  }
  void invert() override {
    const std::scoped_lock lock(turn_);
    done(m_.invert(state_), "inverse");
  }
  Vector inverse_diagonal() const override {
    const std::scoped_lock lock(turn_);
    Vector out(n_);
    done(m_.inverse_diagonal(state_, out.data()), "diagonal of the inverse");
    return out;
  }
  void downdate(const Matrix& q) override {
    const std::scoped_lock lock(turn_);
    done(m_.downdate(state_, q.data(), q.cols()), "rank update");
  }
  Vector contract(const Gram& gram, const Matrix& a, double m, int threads) const override {
    if (!gram.program) return contract_on_host(*this, gram, a, m, threads);
    const std::scoped_lock lock(turn_);
    Vector out(slots_);
    done(m_.contract(state_, a.data(), a.cols(), m, out.data()), "gradient");
    return out;
  }
  HalfCross half_cross(const Matrix& points, const Vector& alpha, const Matrix& half_basis,
                       bool gram) const override {
    const std::scoped_lock lock(turn_);
    const Index m = points.rows(), p = half_basis.cols();
    HalfCross out{Vector(m), Vector(m), Matrix(p, m), gram ? Matrix(m, m) : Matrix()};
    done(m_.half_cross(state_, points.data(), m, alpha.data(), half_basis.data(), p, out.mean.data(),
                       out.squares.data(), out.trend.data(), gram ? out.gram.data() : nullptr),
         "predictions");
    if (gram) out.gram.triangularView<Eigen::StrictlyUpper>() = out.gram.transpose();
    return out;
  }
  Matrix columns(Range c) const override {
    const std::scoped_lock lock(turn_);
    Matrix out(n_ - c.first, c.count);
    done(m_.get_columns(state_, c.first, c.count, out.data()), "bringing columns here");
    return out;
  }

 private:
  /// The lower triangle as the host computes it, in panels of columns.
  void send(const Gram& gram, int threads) {
    constexpr Index wide = 512;
    for (Index j = 0; j < n_; j += wide) {
      const Range c{j, std::min(wide, n_ - j)};
      Matrix panel = Matrix::Zero(n_ - j, c.count);
      fill_panel(gram, c, panel, threads);
      done(m_.put_columns(state_, j, c.count, panel.data()), "sending the covariances");
    }
  }
  void done(int failed, const char* what) const {
    if (failed) throw Error(Problem::failed, fmt::format("device cuda: {}: {}", what, m_.error()));
  }
  const CudaModule& m_;
  Index n_;
  Index slots_ = 0;
  CudaState* state_ = nullptr;
  mutable std::mutex turn_;
};

class CudaBlockSet final : public RemoteBlocks {
 public:
  CudaBlockSet(const CudaModule& module, int device, const Matrix& points,
               const std::vector<std::int32_t>& sets, Index most)
      : m_(module), n_(points.cols()) {
    done(m_.blocks_create(device, n_, int(points.rows()), int(most), points.data(), sets.data(), &state_),
         "sending points and neighbors");
  }
  ~CudaBlockSet() override { m_.blocks_destroy(state_); }
  CudaBlockSet(const CudaBlockSet&) = delete;
  CudaBlockSet& operator=(const CudaBlockSet&) = delete;

  std::optional<Whitened> whitened(const KernelProgram& kernel, const Matrix& columns,
                                   const Vector& noise) const override {
    const std::scoped_lock lock(turn_);
    Whitened out{Matrix(n_, columns.rows()), 0};
    Vector log_d(n_);
    int singular = 0;
    done(m_.blocks_whiten(state_, &kernel, columns.data(), int(columns.rows()), noise.data(), out.rows.data(),
                          log_d.data(), &singular),
         "factorizing blocks");
    if (singular) return {};
    out.log_d = log_d.sum();
    return out;
  }
  std::optional<Slopes> slopes(const KernelProgram& kernel, const Vector& residual,
                               const Vector& noise) const override {
    const std::scoped_lock lock(turn_);
    Vector out(kernel.slots + 1);
    int singular = 0;
    done(m_.blocks_slopes(state_, &kernel, residual.data(), noise.data(), out.data(), &singular),
         "slopes of blocks");
    if (singular) return {};
    return Slopes{out.head(kernel.slots), out[kernel.slots]};
  }

 private:
  void done(int failed, const char* what) const {
    if (failed) throw Error(Problem::failed, fmt::format("device cuda: {}: {}", what, m_.error()));
  }
  const CudaModule& m_;
  Index n_;
  CudaBlocks* state_ = nullptr;
  mutable std::mutex turn_;
};

class CudaPlace final : public Place {
 public:
  CudaPlace(const CudaModule& module, int device) : m_(module), device_(device) {}
  std::string name() const override { return "cuda"; }
  std::string text() const override {
    const CudaDevice d = described();
    return fmt::format("{}, {:.0f} GiB", d.name, d.bytes / gib);
  }
  void check_fits(Index n) const override {
    const CudaDevice d = described();
    const double bytes = m_.bytes_for(n);
    if (bytes <= d.free_bytes) return;
    throw Error(
        Problem::limit,
        fmt::format("a covariance matrix of {} rows needs {:.3g} GiB on {}, {:.3g} GiB are free: {} rows fit",
                    n, bytes / gib, d.name, d.free_bytes / gib, most_rows(d.free_bytes)));
  }
  std::shared_ptr<RemoteMatrix> matrix(Index n) const override {
    check_fits(n);
    return std::make_shared<CudaMatrix>(m_, device_, n);
  }
  std::shared_ptr<RemoteBlocks> blocks(const Matrix& points, const std::vector<std::int32_t>& sets,
                                       Index most) const override {
    const CudaDevice d = described();
    const double bytes = m_.bytes_for_blocks(points.cols(), int(points.rows()), int(most), most_columns);
    if (bytes > d.free_bytes)
      throw Error(Problem::limit,
                  fmt::format("{} points with {} neighbors each need {:.3g} GiB on {}, {:.3g} GiB are free",
                              points.cols(), most, bytes / gib, d.name, d.free_bytes / gib));
    return std::make_shared<CudaBlockSet>(m_, device_, points, sets, most);
  }

 private:
  CudaDevice described() const {
    CudaDevice d{};
    if (m_.describe(device_, &d)) throw Error(Problem::failed, fmt::format("device cuda: {}", m_.error()));
    return d;
  }
  /// By bisection, to a hundred.
  Index most_rows(double bytes) const {
    Index fits = 0, too_many = 100 * (Index(std::sqrt(bytes / 8) / 100) + 2);
    while (too_many - fits > 100) {
      const Index middle = (fits + too_many) / 200 * 100;
      (m_.bytes_for(middle) <= bytes ? fits : too_many) = middle;
    }
    return fits;
  }
  const CudaModule& m_;
  int device_;
};

/// The module, or why there is none.
struct Found {
  const CudaModule* module = nullptr;
  std::string why;
  int devices = 0;
};

#ifdef __EMSCRIPTEN__
void* opened(std::string& why) {
  why = "WebAssembly loads none";
  return nullptr;
}
void* dlsym(void*, const char*) { return nullptr; }
#else
/// Beside what this code is part of, or in lib/ beside that, or wherever the loader looks.
void* opened(std::string& why) {
  Dl_info own{};
  std::vector<std::string> paths;
  if (dladdr(reinterpret_cast<const void*>(&cuda_place), &own) && own.dli_fname) {
    const std::string path = own.dli_fname, folder = path.substr(0, path.find_last_of('/') + 1);
    if (!folder.empty()) paths = {folder + file_name, folder + "../lib/" + file_name};
  }
  paths.emplace_back(file_name);
  for (const std::string& p : paths) {
    if (void* handle = dlopen(p.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* said = dlerror();
    const std::string message = said ? said : "";
    if (why.empty() || message.find("No such file") == message.npos) why = message;
  }
  return nullptr;
}
#endif

Found look_for_cuda() {
  Found out;
  std::string why;
  void* handle = opened(why);
  if (!handle) {
    out.why = fmt::format(
        "the CUDA module {} cannot be loaded ({}): build and install Covary with -DCOVARY_CUDA=ON", file_name,
        why);
    return out;
  }
  using Entry = const CudaModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "covary_cuda_module"));
  const CudaModule* module = entry ? entry() : nullptr;
  if (!module || module->version != CudaModule::interface) {
    out.why =
        fmt::format("{} is of another version of Covary: install the one that came with this", file_name);
    return out;
  }
  if (module->devices(&out.devices)) {
    out.why = fmt::format("no GPU can be used: {}", module->error());
    return out;
  }
  if (out.devices == 0) {
    out.why = "there is no CUDA device on this machine";
    return out;
  }
  out.module = module;
  return out;
}

const Found& found() {
  static const Found all = look_for_cuda();
  return all;
}

}  // namespace

std::shared_ptr<const Place> internal::cuda_place(const CudaModule& module, int device) {
  return std::make_shared<const CudaPlace>(module, device);
}

std::shared_ptr<const Place> internal::place_called(const std::string& name) {
  if (name.empty() || name == "cpu") return {};
  if (name == "cluster") return cluster_place();
  if (name != "cuda")
    throw Error(Problem::usage, fmt::format("there is no device '{}': cpu, cuda or cluster", name));
  if (!found().module)
    throw Error(Problem::usage, fmt::format("device cuda: {}; device cpu computes here", found().why));
  return cuda_place(*found().module, 0);
}

std::vector<std::string> internal::device_lines() {
  std::vector<std::string> out;
  if (ranks()) out.push_back("cluster: " + cluster_place()->text());
  if (!found().module) return out;
  for (int i = 0; i < found().devices; ++i)
    out.push_back(fmt::format("cuda {}: {}", i, cuda_place(*found().module, i)->text()));
  return out;
}

}  // namespace covary
