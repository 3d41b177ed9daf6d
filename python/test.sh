#!/usr/bin/env bash
# Builds the wheel, installs it with what the tests need into python/.venv, and runs the tests. Says so, and succeeds, where there
# is no Python, or no network to fetch packages by.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
venv=python/.venv

if ! "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "no Python 3.10 with venv here: the Python package is not tested"; exit 0
fi
if [ ! -x "$venv/bin/python" ] && ! "$python" -m venv "$venv" >/dev/null 2>&1; then
  rm -rf "$venv"; echo "Python makes no environment here (Debian: python3-venv): the Python package is not tested"; exit 0
fi
# The library is built while packages are fetched.
make --no-print-directory python-library & library=$!
if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 -r python/requirements-test.txt >"$venv/pip.log" 2>&1; then
  tail -2 "$venv/pip.log"; wait $library || true
  echo "the packages that the tests need cannot be had (no network?): the Python package is not tested"; exit 0
fi
wait $library
make --no-print-directory wheel PYTHON="$venv/bin/python"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall dist/rdfgpu-*-py3-none-*.whl
${GO:-go} test -count=1 -v ./python
