// The matcher for plans with branches or weights by vertex: match.cu with what weighs them, as kernels of their own.
#define BRANCHES
#include "match.cu"
