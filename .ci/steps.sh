# Sourced by the scripts beside it: runs named steps, measures their time, and prints
# a table at the end.

step_names=()
step_results=()
step_seconds=()
steps_selected=()

# steps_only NAME…: from now on only these steps run; all, where there is no name.
steps_only() {
  steps_selected=("$@")
}

is_selected() {
  local name
  ((${#steps_selected[@]})) || return 0
  for name in "${steps_selected[@]}"; do
    [[ $name == "$1" ]] && return 0
  done
  return 1
}

# step NAME COMMAND…: runs the command. A failure is recorded for the table, and the
# next steps run all the same, so that one run shows every failure.
step() {
  local name=$1 begun=$SECONDS result=ok
  shift
  is_selected "$name" || return 0
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
  if ((failed)) || ((${#step_names[@]} == 0)); then
    printf '%s: failed\n' "$0"
    return 1
  fi
  printf '%s: every step passed\n' "$0"
}
