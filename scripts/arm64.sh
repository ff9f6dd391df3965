#!/usr/bin/env bash
# Builds everything for 64-bit ARM on a machine of another kind, and tests it under emulation: scripts/arm64.sh [test ...]
#
# It needs root, debootstrap and qemu-user-static. A folder (ARM64_ROOT, default: target/arm64-root) becomes a small Debian unstable
# with its cross compilers, once: 2 GB, and network. The build is in target/arm64. With `tests` as words, only these run of:
#
#   lib       the unit tests of all crates
#   golden    the recorded cases of Kaldi, on the program for ARM
#   safety    damaged and cut archives, full disks, failing commands
#   demo      features, text, models and pictures of the samples, compared byte for byte with those of this machine's program
#   packages  the archive of the tools and the wheel, in target/arm64/package
#
# Not run, since a server, a browser or the module for Python would run under emulation, too: peers, python/tests.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
root=$(realpath -m "${ARM64_ROOT:-$target/arm64-root}")
triple=aarch64-unknown-linux-gnu
parts=("$@")
[ $# -gt 0 ] || parts=(lib golden safety demo packages)

if [ ! -x "$root/usr/bin/aarch64-linux-gnu-gcc" ]; then
    debootstrap --variant=minbase --include=ca-certificates unstable "$root" https://deb.debian.org/debian
    # A snapshot of Debian may be older than its own date says.
    echo 'Acquire::Check-Valid-Until "false";' > "$root/etc/apt/apt.conf.d/99snapshot"
    DEBIAN_FRONTEND=noninteractive chroot "$root" sh -euc '
        dpkg --add-architecture arm64
        apt-get update
        apt-get install -y --no-install-recommends rustc cargo libstd-rust-dev:arm64 gcc-aarch64-linux-gnu libc6-dev:arm64 libgcc-s1:arm64'
fi
# The kernel runs programs of the other processor by qemu.
binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
[ -e $binfmt/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > $binfmt/register

# Runs a command in the folder. It sees the sources and the build under the same names as this machine, since tests have them inside.
in_root() {
    unshare --mount bash -euc '
        root=$1 target=$2
        mkdir -p "$root$PWD" "$root$target" "$root/cargo"
        mount --bind "$PWD" "$root$PWD"
        mount --bind "$target" "$root$target"
        mount --bind "${CARGO_HOME:-$HOME/.cargo}" "$root/cargo"
        mount -t proc proc "$root/proc"
        mount --bind /dev "$root/dev"
        cp /etc/resolv.conf "$root/etc/resolv.conf"
        exec chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root CARGO_HOME=/cargo CARGO_TARGET_DIR="$target/arm64" CARGO_INCREMENTAL=0 \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc \
            sh -euc "cd \"$PWD\"; $3"' in_root "$root" "$target" "$1"
}

echo "== build"
packages="--locked --workspace --exclude kaldi-tables-python --target $triple"
in_root "cargo test --no-run $packages --lib --test suite --test golden" 2>&1 | tee "$target/arm64-build.log"

# A test runs on this machine, beside its shell. `Executable tests/suite.rs (target/arm64/.../suite-0123)`
run_test() {
    local test
    test=$(sed -n "s|^ *Executable tests/$1 (\(.*\))\$|\1|p" "$target/arm64-build.log" | tail -n 1)
    shift
    # Where the emulator finds the libraries.
    QEMU_LD_PREFIX=$root "$test" "$@"
}

for part in "${parts[@]}"; do
    echo "== $part"
    case $part in
        lib) in_root "cargo test $packages --lib --no-fail-fast -- --quiet" ;;
        golden) run_test golden/main.rs ;;
        # Those that start a tool for each cut or each type would take an hour under emulation. Limits of memory would be those of the
        # emulator.
        safety) run_test suite.rs --quiet safety:: --skip safety::advice:: --skip every_ --skip memory --skip safety::limits:: --skip safety::ranges:: ;;
        demo)
            cargo build --quiet --locked --bins
            rm -rf "$target/arm64-demo"
            for machine in here arm64; do
                program=$target/debug/kaldi-tables
                [ $machine = here ] || program=$target/arm64/$triple/debug/kaldi-tables
                made=$target/arm64-demo/$machine
                mkdir -p "$made"
                export QEMU_LD_PREFIX=$root
                "$program" --print-args=false link "$made-tools"
                BIN=$made-tools scripts/demo.sh "$made" > "$made.txt"
                rm -f "$made/log"
            done
            cmp "$target/arm64-demo/here.txt" "$target/arm64-demo/arm64.txt"
            diff -r "$target/arm64-demo/here" "$target/arm64-demo/arm64"
            ;;
        packages)
            in_root "
                command -v pip3 || apt-get install -y --no-install-recommends python3-pip
                export CARGO_BUILD_TARGET=$triple
                scripts/package.sh
                # The program of the archive is in the wheel, too.
                pip3 wheel --no-deps --config-settings=program-profile=release --wheel-dir $target/arm64/package ./python"
            ls "$target"/arm64/package/*-aarch64-linux.tar.gz "$target"/arm64/package/*_aarch64.whl
            ;;
        *) echo "arm64.sh: expected lib, golden, safety, demo or packages, got $part" >&2 && exit 1 ;;
    esac
done
