#!/bin/sh
# Counts with a program that speaks UCI, here kogge itself, for: kogge diff 4 --against script:./perft.sh
# $1 is the depth, $2 the FEN, and $3 the moves played from there, if any.
{
    echo "position fen $2${3:+ moves $3}"
    echo "go perft $1"
    echo quit
} | kogge uci | sed -n \
    -e 's/^\([a-h][1-8][a-h][1-8][nbrq]*\): /\1 /p' \
    -e 's/^Nodes searched: //p'
