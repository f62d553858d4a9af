#include "covary/gaussian/canonical_form.h"

#include "gaussian/indices.h"

namespace covary {

void check_form(const CanonicalForm& form) {
  check_square(form.j, "the precision");
  if (form.h.size() != form.j.rows())
    throw Error(Problem::usage, fmt::format("a precision of {} x {} needs h of {} components, found {}",
                                            form.j.rows(), form.j.rows(), form.j.rows(), form.h.size()));
}

CanonicalForm CanonicalForm::marginal(const std::vector<Index>& which) const {
  check_form(*this);
  if (which.empty()) throw Error(Problem::usage, "a marginal needs at least one component");
  const std::vector<Index> rest = others(h.size(), which);
  CanonicalForm out{h(which), j(which, which)};
  if (rest.empty()) return out;
  const Matrix l = positive(j(rest, rest), "the precision of the others");
  const Matrix half = half_solved(l, j(rest, which));
  out.h -= half.transpose() * half_solved(l, h(rest));
  out.j = symmetric(out.j - half.transpose() * half);
  return out;
}

CanonicalForm CanonicalForm::conditional(const std::vector<Index>& known, const Vector& values) const {
  check_form(*this);
  const std::vector<Index> rest = left_of(h.size(), known, values);
  return {h(rest) - j(rest, known) * values, j(rest, rest)};
}

Matrix schur_complement(const Matrix& m, const std::vector<Index>& eliminate) {
  check_square(m, "the matrix");
  const std::vector<Index> rest = others(m.rows(), eliminate);
  if (eliminate.empty()) return m;
  const Matrix half =
      half_solved(positive(m(eliminate, eliminate), "the eliminated block"), m(eliminate, rest));
  return symmetric(m(rest, rest) - half.transpose() * half);
}

Matrix internal::block_inverse(const Matrix& m, const std::vector<Index>& first) {
  const Matrix s = schur_complement(m, first);
  Matrix bb(0, 0);
  if (s.size())
    bb = solved(positive(s, first.empty() ? "the matrix" : "the Schur complement"),
                Matrix::Identity(s.rows(), s.cols()));
  if (first.empty()) return bb;
  const std::vector<Index> rest = others(m.rows(), first);
  const Matrix aa = m(first, first), ab = m(first, rest);
  const Matrix l = positive(aa, "the first block");
  const Matrix x = solved(l, ab);  // M_aa^-1 M_ab
  Matrix out(m.rows(), m.cols());
  out(rest, rest) = bb;
  out(first, rest) = -x * bb;
  out(rest, first) = out(first, rest).transpose();
  out(first, first) = solved(l, Matrix::Identity(aa.rows(), aa.cols())) + x * bb * x.transpose();
  return out;
}

}  // namespace covary
