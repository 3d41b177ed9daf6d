// Counts in neighbourhoods of a core that is away: dense.cu with most lists in host memory, as kernels of their own.
#define AWAY
#include "dense.cu"
