# Sourced by the scripts beside it that need root for a part of their work.

# as_root COMMAND…: with sudo, unless this is root already.
as_root() {
  if ((EUID)); then sudo --non-interactive "$@"; else "$@"; fi
}

# Ends the script where nobody can become root: it is skipped, or fails with PETSTORE_REQUIRE_ROOT.
root_or_skip() {
  if as_root true 2>/dev/null; then
    return
  fi
  if [[ ${PETSTORE_REQUIRE_ROOT-} ]]; then
    printf '%s: needs root, or sudo without a password; PETSTORE_REQUIRE_ROOT is set\n' "$0" >&2
    exit 1
  fi
  printf '%s: skipped: needs root, or sudo without a password\n' "$0"
  exit 0
}
