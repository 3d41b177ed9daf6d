#!/bin/sh
# shim.sh OUTPUT.a: makes a static libcuda.a that opens the NVIDIA driver when the program starts.
#
# A program linked against it has no libcuda.so.1 among its needed libraries, so it starts everywhere. Every function
# that cuda.h declares is a jump through a table; without a driver each entry answers CUDA_ERROR_NO_DEVICE. cuInit
# always answers success, because gorgonia.org/cu ends the process otherwise; rdfgpu_driver_state says what it answered.
set -eu
out=$1
cc=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

include=${CUDA_INCLUDE:-/usr/include}
echo '#include <cuda.h>' | $cc -I"$include" -E - | grep -oE '\bcu[A-Z][A-Za-z0-9_]*[[:space:]]*\(' |
	tr -d ' (' | sort -u | grep -v '^cuInit$' >"$tmp/names"

{
	cat <<'C'
#include <dlfcn.h>
#include <stddef.h>
static int none(void) { return 100; } /* CUDA_ERROR_NO_DEVICE */
static int state = -1;
int rdfgpu_driver_state(void) { return state; } /* -1: no library; else what cuInit answered */
static int (*init)(unsigned);
int cuInit(unsigned flags) {
  if (init) state = init(flags);
  return 0;
}
C
	echo 'void *rdfgpu_cuda[] = {'
	sed 's/.*/  (void *)none,/' "$tmp/names"
	echo '};'
	echo 'static const char *const names[] = {'
	sed 's/.*/  "&",/' "$tmp/names"
	echo '};'
	cat <<'C'
__attribute__((constructor)) static void load(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!driver) return;
  init = (int (*)(unsigned))dlsym(driver, "cuInit");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *f = dlsym(driver, names[i]);
    if (f) rdfgpu_cuda[i] = f;
  }
}
C
} >"$tmp/load.c"

{
	echo '.text'
	i=0
	while read -r name; do
		printf '.globl %s\n.type %s,@function\n%s:\n' "$name" "$name" "$name"
		case $(uname -m) in
		aarch64) printf '  adrp x16, rdfgpu_cuda+%d\n  add x16, x16, :lo12:rdfgpu_cuda+%d\n  ldr x16, [x16]\n  br x16\n' $((i * 8)) $((i * 8)) ;;
		*) printf '  jmp *rdfgpu_cuda+%d(%%rip)\n' $((i * 8)) ;;
		esac
		i=$((i + 1))
	done <"$tmp/names"
	echo '.section .note.GNU-stack,"",@progbits'
} >"$tmp/jump.S"

$cc -O1 -fPIC -c "$tmp/load.c" -o "$tmp/load.o"
$cc -fPIC -c "$tmp/jump.S" -o "$tmp/jump.o"
ld -r "$tmp/load.o" "$tmp/jump.o" -o "$tmp/shim.o"
rm -f "$out"
ar rcs "$out" "$tmp/shim.o"
