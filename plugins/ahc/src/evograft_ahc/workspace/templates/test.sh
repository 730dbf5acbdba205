#!/usr/bin/env bash
# Runs a program over inputs and prints its scores: ./test.sh [SOURCE.cpp] [CASE...], such as ./test.sh start.cpp 0000 0001
# A quick look with nothing but bash and g++: no limits, no sandbox. `evo ahc test` judges.
set -euo pipefail
cd "$(dirname "$0")"
source=${1:-start.cpp}
shift || true
mkdir -p build
"${CXX:-g++}" ${CXXFLAGS:--std=gnu++20 -O2} -o build/program "$source"
if (($# == 0)); then
    for input in inputs/*.txt; do set -- "$@" "$(basename "$input" .txt)"; done
fi
total=0
for case in "$@"; do
    input=inputs/$case.txt output=build/$case.out
    said=$(@JUDGE@) || true
    line=$(tail -n 1 <<<"$said")
    score=${line##*[!0-9.-]}
    echo "$case ${line:-no score}"
    total=$(awk -v total="$total" -v score="${score:-0}" 'BEGIN { printf "%.10g", total + score }')
done
echo "total $total over $# cases"
