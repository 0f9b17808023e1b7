#!/bin/sh
# The second half of a node's start, already inside its file system: moves it into control groups of its own, which it then
# takes for all there are.
#   start CGROUP
set -eu
umount -l /run/old
rmdir /run/old

# Version 1 has a tree for each controller, version 2 one for all.
trees=$(awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts)
for tree in $trees; do
  mkdir -p "$tree$1"
  # In version 2 a group has the controllers that the one above it gives.
  for group in "$tree" "$tree/gatebench-twin"; do
    for controller in $(cat "$group/cgroup.controllers" 2> /dev/null); do
      echo "+$controller" > "$group/cgroup.subtree_control" || true
    done
  done
  # A new group of processors has none, and lets nobody in.
  for part in cpus mems; do
    parent=$tree group=$tree/gatebench-twin
    for group in "$tree/gatebench-twin" "$tree$1"; do
      [ ! -e "$group/cpuset.$part" ] || [ -n "$(cat "$group/cpuset.$part")" ] ||
        [ -z "$(cat "$parent/cpuset.$part")" ] || cat "$parent/cpuset.$part" > "$group/cpuset.$part"
      parent=$group
    done
  done
  echo 0 > "$tree$1/cgroup.procs"
done
exec unshare --cgroup /usr/local/libexec/cluster/services
