# Room for what a run builds and writes; .ci/run and scripts/check.sh source it.

# The free megabytes of the file system of a folder.
free_mb() { df -Pm "$1" 2> /dev/null | awk 'NR == 2 { print $4 }'; }

# Whether that many megabytes are free in the memory that /dev/shm may take.
memory_has() { [ "$(free_mb /dev/shm || echo 0)" -gt "$1" ]; }

# Makes a folder in memory, $scratch, that goes when the shell ends. One that cannot be removed is no failure of what ran.
make_scratch() {
    scratch=$(mktemp -d /dev/shm/check.XXXXXX)
    trap 'rm -rf "$scratch" || echo "WARNING: $scratch could not be removed" >&2' EXIT
}
