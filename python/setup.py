"""The wheel holds a library, which is no extension module: any Python 3 of the platform loads it. `make wheel` builds both."""

import re
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution

LIBRARY = Path(__file__).parent / "rdfgpu" / "librdfgpu.so"


class Wheel(bdist_wheel):
    """A wheel for any Python 3, tagged by the newest glibc whose functions the library asks for."""

    def get_tag(self):
        if not LIBRARY.exists():
            raise SystemExit("rdfgpu/librdfgpu.so is missing: run `make wheel` in the repository's folder")
        minor = max(map(int, re.findall(rb"GLIBC_2\.(\d+)", LIBRARY.read_bytes())), default=17)
        _, _, platform = super().get_tag()
        return "py3", "none", platform.replace("linux_", f"manylinux_2_{max(minor, 17)}_")


class WithLibrary(Distribution):
    """Has code for one platform."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"bdist_wheel": Wheel}, distclass=WithLibrary)
