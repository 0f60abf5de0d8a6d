#!/usr/bin/env bash
# Compiles through ccache, so that a clone in another folder gets what was compiled in this one:
#
#   compile.sh SOURCE_FOLDER COMPILER ARGUMENT...
#
# All paths below the source folder become relative. Those below the build folder begin there, as ninja's own names do. Otherwise a
# generated header would be another file to ninja, which would compile what includes it before it makes the header anew.
#
# A precompiled header is made in each folder anew, since it remembers where its inputs are and serves no other folder. Beside it
# goes a sum of all that it is made of: the contents of its inputs and the command. Whoever includes it is looked up by that sum, so
# another folder's objects serve only where each header is the same.
set -euo pipefail
source=$1
shift
export CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

arguments=() up=''
for word in "$@"; do
  if [[ $word =~ ^(-I)?"$PWD"(/.*)?$ ]]; then
    word=${BASH_REMATCH[1]}.${BASH_REMATCH[2]}
  elif [[ $word =~ ^(-I)?"$source"(/.*)?$ ]]; then
    up=${up:-$(realpath --relative-to=. "$source")}
    word=${BASH_REMATCH[1]}$up${BASH_REMATCH[2]}
  fi
  arguments+=("$word")
done
set -- "${arguments[@]}"
if [[ " $* " != *" -emit-pch "* ]]; then
  exec ccache "$@"
fi

header='' inputs='' previous=''
for word in "$@"; do
  case $previous in
    -o) header=$word ;;
    -MF) inputs=$word ;;
  esac
  previous=$word
done
rm -f "$header.sum"
"$@"
# A list of dependencies names the header first, then its inputs; names with spaces have a backslash, and then there is no sum.
if ! grep -q '\\ ' "$inputs"; then
  {
    echo "$*"
    sed -e 's/^[^:]*://' -e 's/\\$//' "$inputs" | tr -s ' ' '\n' | sed '/^$/d' | sort -u | xargs sha256sum
  } | sha256sum >"$header.sum.new"
  mv "$header.sum.new" "$header.sum"
fi
