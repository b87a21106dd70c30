#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the pages as a site with search, by MkDocs Material: build/site/html/index.html. Doxygen reads the public headers,
# of which docs/reference_pages.py makes pages.
#
#   build_site.sh [--offline]
#
#   --offline    install nothing: mkdocs must be on PATH or in build/site/venv
#   -h, --help   this text
#
# mkdocs comes from PATH, else from a virtual environment in build/site/venv, which is made where it is not there yet.
# Doxygen comes from PATH: jobscripts/setup.sh --full installs it.
# A link or anchor that leads nowhere is an error, and so is a public class or function without a comment.
# Exit: 0 built, 1 a page or a comment is wrong, 2 usage, 3 there is no doxygen, or no mkdocs and none could be installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../jobscripts/lib.sh"
root=$(repository)
site=$root/build/site

offline=0
while (($#)); do
  case $1 in
    --offline) offline=1 ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) die 2 "unknown option '$1' (see --help)" ;;
  esac
  shift
done

command -v doxygen >/dev/null ||
  die 3 "there is no doxygen: apt-get install doxygen, or jobscripts/setup.sh --full"
PATH=$PATH:$site/venv/bin
# Material is a theme of MkDocs 1: the version that it asks for.
if ! command -v mkdocs >/dev/null; then
  ((!offline)) || die 3 "there is no mkdocs: python3 -m pip install mkdocs-material"
  say "Installing mkdocs-material into $site/venv"
  { python3 -m venv "$site/venv" && "$site/venv/bin/pip" install --quiet 'mkdocs-material>=9.5,<10'; } >&2 ||
    die 3 "mkdocs-material could not be installed"
fi

# The tree as in the repository, so that relative links hold.
rm -rf "$site/pages"
mkdir -p "$site/pages/results"
cp "$root"/{README,CHANGELOG,CONTRIBUTING}.md "$root/LICENSE" "$site/pages/"
cp "$root/results/README.md" "$site/pages/results/"
(cd "$root" && find docs \( -name '*.md' -o -name '*.png' -o -name '*.svg' -o -name '*.css' \) -print0 | xargs -0 cp --parents -t "$site/pages")
"$here/reference_pages.py" "$site/pages/reference" || exit $?
# Without --quiet, which hides warnings from --strict.
NO_MKDOCS_2_WARNING=1 mkdocs build --strict --config-file "$here/mkdocs.yml" || exit 1
say "$site/html/index.html"
