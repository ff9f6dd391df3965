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
#   packages  the archive of the tools and the wheel, in target/arm64/package: their names, and that their tools run
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
        # Authorities of this network, which pip asks for.
        cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
        exec chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root CARGO_HOME=/cargo CARGO_TARGET_DIR="$target/arm64" CARGO_INCREMENTAL=0 \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc \
            sh -euc "cd \"$PWD\"; $3"' in_root "$root" "$target" "$1"
}

packages="--locked --workspace --exclude kaldi-tables-python --target $triple"
# The program is built with the tests that start it.
tests=()
for part in "${parts[@]}"; do
    case $part in
        golden | demo) tests+=("--test golden") ;;
        safety) tests+=("--test suite") ;;
    esac
done
if [ ${#tests[@]} -gt 0 ]; then
    echo "== build"
    in_root "cargo test --no-run $packages ${tests[*]}" 2>&1 | tee "$target/arm64-build.log"
fi

# A test runs on this machine, beside its shell. `Executable tests/suite.rs (target/arm64/.../suite-0123)`
run_test() {
    local test
    test=$(sed -n "s|^ *Executable tests/$1 (\(.*\))\$|\1|p" "$target/arm64-build.log" | tail -n 1)
    shift
    # Where the emulator finds the libraries.
    QEMU_LD_PREFIX=$root "$test" "$@"
}

# Unpacks the archive and the wheel. The wheel has to be named after the newest version of the C library that its files need
# (maturin looks at the module alone), and the tools of both have to give the bytes of this machine's program.
check_packages() {
    local packages=$1 made=$2 module needed features tools
    rm -rf "$made"
    mkdir -p "$made/wheel"
    tar -C "$made" -xzf "$packages"/kaldi-tables-*-aarch64-linux.tar.gz
    python3 -m zipfile -e "$packages"/*.whl "$made/wheel"
    module=$made/wheel/kaldi_tables/_core.abi3.so
    # The kind of processor in the header of the file: 183 is 64-bit ARM.
    [ "$(od -An -tu2 -j18 -N2 "$module" | tr -d ' ')" = 183 ]
    needed=$(grep -aohE 'GLIBC_2\.[0-9]+' "$module" "$made"/wheel/*.data/scripts/kaldi-tables | sort -uV | tail -n 1)
    ls "$packages"/*-cp39-abi3-"${needed/GLIBC_2./manylinux_2_}"_aarch64.whl
    cargo build --quiet --locked --bins
    chmod +x "$made"/wheel/*.data/scripts/*
    features=(compute-mfcc-feats --print-args=false --dither=0 scp:samples/audio/wav.scp)
    "$target/debug/kaldi-tables" "${features[@]}" ark:"$made/here"
    for tools in "$made"/kaldi-tables-*/bin "$made"/wheel/*.data/scripts; do
        QEMU_LD_PREFIX=$root "$tools/${features[0]}" "${features[@]:1}" ark:"$made/arm64"
        cmp "$made/here" "$made/arm64"
        rm "$made/arm64"
    done
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
                # Rows of 273 numbers, which are multiplied in another way than short ones.
                "$program" splice-feats --print-args=false --left-context=10 --right-context=10 scp:samples/feats.scp ark:"$made/wide.ark"
                "$program" est-pca --print-args=false --dim=10 ark:"$made/wide.ark" "$made/pca.mat"
                "$program" transform-feats --print-args=false "$made/pca.mat" ark:"$made/wide.ark" ark:"$made/narrow.ark"
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
                rm -f $target/arm64/package/*.whl
                pip3 wheel --no-deps --wheel-dir $target/arm64/package ./python"
            check_packages "$target/arm64/package" "$target/arm64/unpacked"
            ;;
        *) echo "arm64.sh: expected lib, golden, safety, demo or packages, got $part" >&2 && exit 1 ;;
    esac
done
