#!/bin/sh
# Checks the drivers of this machine, lists its devices, verifies counts on each of them, and runs the bench. Writes the
# results to one JSON file. See README.txt beside this script.

set -u

usage() {
    cat <<'END'
Usage: ./run.sh [--quick] [--software] [--no-bench] [--out FILE]

  --quick      a shorter bench, and counts up to 10^9 instead of 10^11 (10^10 on CPUs)
  --software   also emulated GPUs, such as PoCL and lavapipe
  --no-bench   verify only
  --out FILE   where to leave the result (kogge-HOST-TIME.json)
END
}

quick='' software='' bench=yes out=''
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --software) software=yes ;;
    --no-bench) bench='' ;;
    --out)
        [ $# -gt 1 ] || { usage >&2; exit 2; }
        out=$2
        shift
        ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
kogge=$here/kogge
[ -n "$out" ] || out=kogge-$(uname -n)-$(date -u +%Y%m%dT%H%M%SZ).json
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

heading() { printf '\n== %s\n' "$1"; }

# Tests whether the system's loader, or a folder where it usually looks, has a library of this name.
has_library() {
    if command -v ldconfig >/dev/null 2>&1 && ldconfig -p 2>/dev/null | grep -q "$1"; then return 0; fi
    for folder in /usr/lib64 /usr/lib /usr/lib/*-linux-gnu /lib/*-linux-gnu /usr/local/lib; do
        [ -e "$folder/$1" ] && return 0
    done
    return 1
}

# Tests whether one of these files exists.
any() { for file in "$@"; do [ -e "$file" ] && return 0; done; return 1; }

# Prints a text as a JSON string.
quoted() { printf '"%s"' "$(printf '%s' "$1" | tr -d '\000-\037' | sed 's/[\\"]/\\&/g')"; }

heading 'kogge'
if ! version=$("$kogge" --version); then
    echo 'kogge does not start here: it was built for another system, or for a newer C library than this one.' >&2
    exit 3
fi
echo "$version on $(uname -srm)"

heading 'drivers'
if command -v nvidia-smi >/dev/null 2>&1; then
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
fi
if has_library libOpenCL.so.1; then
    echo 'OpenCL: the loader, libOpenCL.so.1, is there.'
    if any /etc/OpenCL/vendors/*.icd; then
        echo "OpenCL: drivers in $(echo /etc/OpenCL/vendors/*.icd)."
    else
        echo 'OpenCL: no driver in /etc/OpenCL/vendors. NVIDIA: put a file nvidia.icd there that says libnvidia-opencl.so.1.'
    fi
elif has_library libnvidia-opencl.so.1; then
    # A container often has the driver but no loader. With this variable, kogge opens the driver itself.
    KOGGE_OPENCL_LIBRARY=libnvidia-opencl.so.1
    export KOGGE_OPENCL_LIBRARY
    echo "OpenCL: there is no loader; using NVIDIA's driver directly (KOGGE_OPENCL_LIBRARY=libnvidia-opencl.so.1)."
else
    echo 'OpenCL: there is no loader, libOpenCL.so.1. On Debian or Ubuntu, install ocl-icd-libopencl1.'
fi
if has_library libvulkan.so.1; then
    echo 'Vulkan: the loader, libvulkan.so.1, is there.'
    if any /etc/vulkan/icd.d/*.json /usr/share/vulkan/icd.d/*.json; then
        for file in /etc/vulkan/icd.d/*.json /usr/share/vulkan/icd.d/*.json; do
            [ -e "$file" ] && echo "Vulkan: driver $file."
        done
    else
        echo 'Vulkan: no driver in /etc/vulkan/icd.d or /usr/share/vulkan/icd.d.'
    fi
else
    echo 'Vulkan: there is no loader, libvulkan.so.1. On Debian or Ubuntu, install libvulkan1.'
fi

heading 'devices'
"$kogge" devices --verbose || exit 3
"$kogge" devices --json >"$work/devices" || exit 3

# The backend and number of each device to verify. kogge's table has a dash as the number if there is no device.
"$kogge" devices | awk -v software="$software" '
    NR > 1 && $2 ~ /^[0-9]+$/ && !/cannot be used/ && $1 != "mailbox" && (software != "" || !/\(software device/) {
        print $1, $2
    }' >"$work/list"

heading 'counts'
failed=''
: >"$work/suites"
while read -r backend number; do
    most=100000000000
    [ "$backend" = cpu ] && most=10000000000
    [ -n "$quick" ] && most=1000000000
    printf '%s %s, published counts up to %s: ' "$backend" "$number" "$most"
    "$kogge" suite "$here/known-counts.epd" --max-nodes "$most" --backend "$backend" --device "$number" --json \
        >"$work/suite" </dev/null
    code=$?
    if [ "$code" -eq 0 ]; then
        echo 'all right'
    else
        echo "NOT RIGHT (exit code $code)"
        grep -v '"status":"PASS"' "$work/suite" >&2
        failed=yes
    fi
    [ -s "$work/suites" ] && echo ',' >>"$work/suites"
    # A suite that breaks, or whose device cannot be opened, has no summary.
    summary=$(grep '^{"command":"suite",.*}$' "$work/suite")
    printf '{"backend":"%s","number":%s,"exit_code":%s,"summary":%s}\n' \
        "$backend" "$number" "$code" "${summary:-null}" >>"$work/suites"
done <"$work/list"

echo null >"$work/bench"
if [ -n "$bench" ] && [ -z "$failed" ]; then
    heading 'bench'
    # If one device fails, the others are still measured. If kogge is killed, it leaves no whole line.
    "$kogge" bench ${quick:+--quick} --json >"$work/measured" || failed=yes
    [ "$(tail -c 1 "$work/measured" | wc -l)" -eq 1 ] && mv "$work/measured" "$work/bench"
fi

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
{
    printf '{"kogge":%s,\n"system":%s,\n"cpu":%s,\n' "$(quoted "$version")" "$(quoted "$(uname -srm)")" "$(quoted "$cpu")"
    printf '"at":%s,\n"devices":\n' "$(quoted "$(date -u +%Y-%m-%dT%H:%M:%SZ)")"
    cat "$work/devices"
    printf ',"suites":[\n'
    cat "$work/suites"
    printf '],"bench":\n'
    cat "$work/bench"
    printf '}\n'
} >"$out" || exit 3

heading 'result'
echo "$out"
[ -z "$failed" ] || { echo 'Something was not right; see above.' >&2; exit 1; }
