package kernels
