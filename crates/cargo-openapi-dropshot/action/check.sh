#!/usr/bin/env bash
# Runs the gates for the GitHub Action of this repository (`action.yml`) in the current
# folder, and writes an annotation for each finding. The environment has the inputs.
set -euo pipefail
crate=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ! command -v cargo-openapi-dropshot >/dev/null; then
  # In the folder of the crate: its toolchain is that of this repository, and not that of the repository which is checked.
  (cd "$crate" && unset RUSTUP_TOOLCHAIN && cargo install --quiet --locked --path . --profile tool)
fi

# One array that is never empty: bash 3.2, which macOS has, takes an empty array for an unset variable.
command=(cargo-openapi-dropshot)
if [[ -n ${OPENAPI_DROPSHOT_DOCUMENT:-} ]]; then
  command+=(--document "$OPENAPI_DROPSHOT_DOCUMENT")
fi
command+=(check --annotations)
for gate in ${OPENAPI_DROPSHOT_SKIP:-}; do
  command+=(--skip "$gate")
done
# In a pull request, changelog entries of the target branch must not be lost.
if [[ -n ${GITHUB_BASE_REF:-} ]]; then
  # A full clone stays one.
  if [[ $(git rev-parse --is-shallow-repository) == true ]]; then
    git fetch --quiet --depth=1 origin "$GITHUB_BASE_REF"
  else
    git fetch --quiet origin "$GITHUB_BASE_REF"
  fi
  command+=(--since "$(git rev-parse FETCH_HEAD)")
fi

if [[ -n ${OPENAPI_DROPSHOT_SARIF_FILE:-} ]]; then
  # Standard error has the annotations, which GitHub reads there, too.
  "${command[@]}" --format sarif >"$OPENAPI_DROPSHOT_SARIF_FILE"
else
  "${command[@]}"
fi
