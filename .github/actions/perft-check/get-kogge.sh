#!/usr/bin/env bash
# Unpacks kogge from the archive of a release, after checking its SHA-256, and prints the path of the program.
#
#     ./get-kogge.sh FOLDER
#
# KOGGE_REPOSITORY   the repository on GitHub that has the releases, as OWNER/NAME
# KOGGE_VERSION      the version, such as 0.1.0; without it, the latest release
# KOGGE_ARCHIVE      an archive on this machine instead of a download; NAME.sha256 must lie beside it
set -euo pipefail

fail() {
    echo "error: $*" >&2
    exit 2
}

[ $# -eq 1 ] || fail "One argument is expected: the folder for kogge."
mkdir -p "$1"
folder=$(cd "$1" && pwd)

if [ -n "${KOGGE_ARCHIVE:-}" ]; then
    [ -f "$KOGGE_ARCHIVE" ] || fail "There is no archive $KOGGE_ARCHIVE."
    [ -f "$KOGGE_ARCHIVE.sha256" ] || fail "There is no checksum $KOGGE_ARCHIVE.sha256."
    archive=$(basename "$KOGGE_ARCHIVE")
    cp "$KOGGE_ARCHIVE" "$KOGGE_ARCHIVE.sha256" "$folder/"
else
    # The platforms for which a release has archives.
    kind=tar.gz
    case "$(uname -s) $(uname -m)" in
        "Linux x86_64") platform=x86_64-unknown-linux-gnu ;;
        "Linux aarch64" | "Linux arm64") platform=aarch64-unknown-linux-gnu ;;
        "Darwin arm64") platform=aarch64-apple-darwin ;;
        MINGW*x86_64 | MSYS*x86_64) platform=x86_64-pc-windows-msvc kind=zip ;;
        *) fail "A release has no archive for $(uname -s) $(uname -m); build kogge from its source." ;;
    esac
    [ -n "${KOGGE_REPOSITORY:-}" ] || fail "Set KOGGE_REPOSITORY to the repository that has the releases, as OWNER/NAME."
    releases="https://github.com/$KOGGE_REPOSITORY/releases"
    version=${KOGGE_VERSION:-}
    if [ -z "$version" ] || [ "$version" = latest ]; then
        # GitHub leads from `latest` to `tag/vVERSION`.
        latest=$(curl --fail --silent --show-error --location --output /dev/null --write-out '%{url_effective}' \
            "$releases/latest") || fail "$releases/latest cannot be read."
        version=${latest##*/}
    fi
    version=${version#v}
    archive="kogge-$version-$platform.$kind"
    for file in "$archive" "$archive.sha256"; do
        curl --fail --silent --show-error --location --retry 3 --output "$folder/$file" \
            "$releases/download/v$version/$file" || fail "$releases/download/v$version/$file cannot be downloaded."
    done
fi

cd "$folder"
if command -v sha256sum > /dev/null; then
    check=(sha256sum --check)
else
    check=(shasum --algorithm 256 --check)
fi
"${check[@]}" "$archive.sha256" >&2 || fail "$archive does not have its checksum."
case "$archive" in
    *.zip)
        unzip -q -o "$archive"
        name=${archive%.zip}
        ;;
    *)
        tar -xzf "$archive"
        name=${archive%.tar.gz}
        ;;
esac
for program in "$folder/$name/kogge" "$folder/$name/kogge.exe"; do
    if [ -f "$program" ]; then
        echo "$program"
        exit 0
    fi
done
fail "$archive has no program $name/kogge."
