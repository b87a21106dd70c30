#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks every shell script of the project with shellcheck: *.sh, *.sbatch, and what begins with #!...sh.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
scripts=()
while IFS= read -r -d '' file; do
  case $file in
    *.sh | *.sbatch) scripts+=("$file") ;;
    *) if IFS= read -r first <"$file" 2>/dev/null && [[ $first =~ ^\#!.*[/\ ](ba|da)?sh$ ]]; then scripts+=("$file"); fi ;;
  esac
done < <(find . \( -name .git -o -name build -o -name results -o -name golden -o -name data \) -prune -o \
  -type f -size -256k -print0 2>/dev/null)
((${#scripts[@]} >= 8)) || {
  echo "shellcheck.sh: only ${#scripts[@]} scripts were found" >&2
  exit 1
}
echo "shellcheck: ${#scripts[@]} scripts"
shellcheck --external-sources "${scripts[@]}"
