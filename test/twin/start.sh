#!/bin/sh
# The second half of a machine's start, already inside its file system.
set -eu
umount -l /run/old
rmdir /run/old
mkdir -p /run/sshd
rm -f /var/lib/twin-shut-down
/usr/sbin/sshd -E /var/log/sshd.log
# Containers share the machine's network (--network host), so Docker needs neither a bridge nor a firewall of its own.
dockerd --iptables=false --bridge=none --storage-driver=overlay2 --exec-opt native.cgroupdriver=cgroupfs \
  --cgroup-parent="$1" --oom-score-adjust=0 > /var/log/docker.log 2>&1 &
[ ! -x /var/lib/cloud/start ] || setsid /var/lib/cloud/start &
# Keeps the table of processes free of those that ended as orphans.
exec tini -- sleep infinity
