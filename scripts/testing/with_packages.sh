#!/usr/bin/env bash
# Runs a test that needs packages of PyPI: with_packages.sh FOLDER 'PACKAGE==VERSION...' COMMAND... It installs them into FOLDER
# and sets PYTHONPATH. Where they cannot be had the test is skipped (77), but not in CI.
folder=$1 packages=$2
shift 2
if ! "$(dirname "$0")/../../scripts/python-packages.sh" "$folder" $packages; then
  [ -n "${CI:-}" ] && exit 1
  echo "skipped: PyPI has not given $packages"
  exit 77
fi
PYTHONPATH=$folder exec "$@"
