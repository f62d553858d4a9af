// What is called of BLACS, PBLAS and ScaLAPACK. Rows and columns of matrices count from 1.
#pragma once
#include <mpi.h>

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cfree_blacs_system_handle(int);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);

int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdtrtri_(const char*, const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdlauum_(const char*, const int*, double*, const int*, const int*, const int*);
void pdtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, double*, const int*, const int*, const int*);
void pdtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, double*, const int*, const int*, const int*);
void pdsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
}
