# Sourced by the scripts beside it: runs named steps, takes their time, and
# closes with a table. What the steps are is left to those scripts.

step_names=()
step_results=()
step_seconds=()

# step NAME COMMAND…: runs the command; a failure is kept for the table, so that
# one run shows everything that is wrong.
step() {
  local name=$1 begun=$SECONDS result=ok
  shift
  printf '\n=== %s: %s\n' "$name" "$*"
  "$@" </dev/null || result="FAILED ($?)"
  step_names+=("$name")
  step_results+=("$result")
  step_seconds+=("$((SECONDS - begun))")
  printf '=== %s: %s, %s s, %s free on the disk\n' "$name" "$result" "${step_seconds[-1]}" \
    "$(df --human-readable --output=avail . | tail -n 1 | tr -d ' ')"
}

# Prints the table; its status tells whether every step passed.
steps_summary() {
  local index failed=0
  printf '\n%-24s %-14s %8s\n' step result seconds
  for index in "${!step_names[@]}"; do
    printf '%-24s %-14s %8s\n' "${step_names[index]}" "${step_results[index]}" "${step_seconds[index]}"
    [[ ${step_results[index]} == ok ]] || failed=1
  done
  printf '%-24s %-14s %8s\n' total '' "$SECONDS"
  if ((failed)); then
    printf '%s: failed\n' "$0"
  else
    printf '%s: everything passed\n' "$0"
  fi
  return "$failed"
}
