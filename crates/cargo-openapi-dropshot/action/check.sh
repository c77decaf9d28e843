#!/usr/bin/env bash
# Runs the gates for the GitHub Action of this repository (`action.yml`) in the current
# folder, and writes an annotation for each finding. The environment has the inputs.
set -euo pipefail
crate=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ! command -v cargo-openapi-dropshot >/dev/null; then
  cargo install --quiet --locked --path "$crate" --profile tool
fi

selected=()
if [[ -n ${OPENAPI_DROPSHOT_DOCUMENT:-} ]]; then
  selected+=(--document "$OPENAPI_DROPSHOT_DOCUMENT")
fi
options=()
for gate in ${OPENAPI_DROPSHOT_SKIP:-}; do
  options+=(--skip "$gate")
done
# In a pull request, changelog entries of the target branch must not be lost.
if [[ -n ${GITHUB_BASE_REF:-} ]]; then
  git fetch --quiet --depth=1 origin "$GITHUB_BASE_REF"
  options+=(--since "$(git rev-parse FETCH_HEAD)")
fi

if [[ -n ${OPENAPI_DROPSHOT_SARIF_FILE:-} ]]; then
  # Standard error has the annotations, which GitHub reads there, too.
  cargo-openapi-dropshot "${selected[@]}" check "${options[@]}" --annotations \
    --format sarif >"$OPENAPI_DROPSHOT_SARIF_FILE"
else
  cargo-openapi-dropshot "${selected[@]}" check "${options[@]}" --annotations
fi
