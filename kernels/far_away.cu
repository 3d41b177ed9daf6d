// Counts with a far vertex in a core that is away: far.cu with most lists in host memory, as kernels of their own.
#define AWAY
#include "far.cu"
