// Kernels of the nodes of a network: diffusion and graph_matern, functions of its Laplacian L = D - W.
//
//   diffusion      exp(-beta L)
//   graph_matern   (2 nu/kappa^2 I + L)^-nu
//
// Both are divided by the mean of their diagonal, so that a variance in front is the mean variance of a node; it is
// larger at nodes of small degree. With weights 1/h^2 on a grid of spacing h in d dimensions L tends to the negative
// Laplace operator and graph_matern to the Matern process with smoothness nu - d/2 and length-scale
// kappa sqrt((nu - d/2)/nu); as nu grows it tends to diffusion with beta = kappa^2/2. Nodes in parts of the network
// that are not connected are independent.
//
// The eigenvectors of L are computed once for a network and shared, 9 N^3 flops; the covariances of all pairs of
// nodes once for each value of the parameters, N^3 flops, and 2 N^3 for each derivative.
#pragma once
#include "covary/kernels/nodes/network.h"

namespace covary {

/// NaN: not given.
Kernel<Row> diffusion(std::shared_ptr<const Network> network,
                      double beta = std::numeric_limits<double>::quiet_NaN());
Kernel<Row> graph_matern(std::shared_ptr<const Network> network,
                         double nu = std::numeric_limits<double>::quiet_NaN(),
                         double kappa = std::numeric_limits<double>::quiet_NaN());

}  // namespace covary
