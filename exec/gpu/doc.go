package gpu
