// What a stranger's project does with Covary: includes headers, links covary::core, computes something.
#include <covary/error.h>
#include <covary/types.h>

int main() {
  const covary::Matrix x = covary::join(covary::Matrix::Zero(2, 1), covary::Matrix::Ones(1, 1));
  return x.sum() == 1.0 && covary::nearest("matern25", {"se", "matern52"}) == "matern52" ? 0 : 1;
}
