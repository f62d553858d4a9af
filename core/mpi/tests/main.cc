// The tests of a cluster, on every rank: run by mpirun -n 1, 2, 3 and 4. The first rank prints; the others only failures.
#include <covary/cluster.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace covary::test {
namespace {

/// What failed on a rank that is otherwise silent.
class OnlyFailures : public ::testing::EmptyTestEventListener {
 public:
  explicit OnlyFailures(int rank) : rank_(rank) {}
  void OnTestPartResult(const ::testing::TestPartResult& r) override {
    if (r.failed())
      (void)std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, r.file_name() ? r.file_name() : "",
                         r.line_number(), r.message());
  }

 private:
  int rank_;
};

}  // namespace
}  // namespace covary::test

int main(int argc, char** argv) {
  covary::Cluster cluster(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  if (!cluster.first()) {
    ::testing::TestEventListeners& all = ::testing::UnitTest::GetInstance()->listeners();
    delete all.Release(all.default_result_printer());
    all.Append(new covary::test::OnlyFailures(cluster.rank()));
  }
  const int failed = RUN_ALL_TESTS();
  return cluster.end(failed, failed ? "tests failed" : "").code;
}
