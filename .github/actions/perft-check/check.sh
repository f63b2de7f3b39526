#!/usr/bin/env bash
# Checks an engine with `kogge check`, and ends with kogge's exit code: 0 if no fault was found, 1 at a fault, 2 if the call was wrong,
# 3 if the engine could not be asked.
#
# KOGGE              the program; without it, `kogge`
# PERFT_ENGINE       the command of the engine, or `engine:COMMAND`, or `script:COMMAND`
# PERFT_SECONDS      the seconds of the check; without it, 60
# PERFT_JOBS         the number of copies of the engine; without it, 1
# PERFT_ARGUMENTS    further arguments of `kogge check`, one in each line
# PERFT_JUNIT        the file for JUnit's XML; without it, perft-check.xml
# PERFT_SAVE         the file for the suite of the smallest positions; without it, perft-check.epd
set -euo pipefail

case "${PERFT_ENGINE:?Set PERFT_ENGINE to the command of the engine.}" in
    engine:* | script:*) target=$PERFT_ENGINE ;;
    *) target=engine:$PERFT_ENGINE ;;
esac
call=("${KOGGE:-kogge}" check "$target" --seconds "${PERFT_SECONDS:-60}" --jobs "${PERFT_JOBS:-1}"
    --junit "${PERFT_JUNIT:-perft-check.xml}" --save "${PERFT_SAVE:-perft-check.epd}")
while IFS= read -r argument; do
    argument=${argument%$'\r'}
    if [ -n "$argument" ]; then
        call+=("$argument")
    fi
done <<< "${PERFT_ARGUMENTS:-}"

report=$(mktemp)
trap 'rm -f "$report"' EXIT
code=0
"${call[@]}" | tee "$report" || code=$?
# GitHub shows this file with the run.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { echo '```text'; cat "$report"; echo '```'; } >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    echo "exit-code=$code" >> "$GITHUB_OUTPUT"
fi
exit "$code"
