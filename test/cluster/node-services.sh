#!/bin/sh
# The last part of a node's start: its own view of control groups and of the kernel's settings, then its services.
set -eu

mounts=$(awk '$3 ~ /^cgroup2?$/ { print $2, $3, $4 }' /proc/mounts)
umount -l -R /sys/fs/cgroup
case $mounts in
"/sys/fs/cgroup cgroup2 "*)
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  # Version 2 divides a group's share only where no process is in the group itself.
  mkdir -p /sys/fs/cgroup/node
  echo 0 > /sys/fs/cgroup/node/cgroup.procs
  for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
    echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control || true
  done
  ;;
*)
  mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
  echo "$mounts" | while read -r place type options; do
    mkdir -p "$place"
    if [ "$type" = cgroup2 ]; then
      mount -t cgroup2 cgroup2 "$place"
      continue
    fi
    wanted=$(echo "$options" | tr , '\n' |
      grep -E '^(name=.*|cpu|cpuacct|cpuset|memory|devices|freezer|blkio|pids|net_cls|net_prio|perf_event|hugetlb|rdma|misc)$')
    case $wanted in name=*) wanted="none,$wanted" ;; esac
    mount -t cgroup -o "$(echo "$wanted" | paste -sd,)" cgroup "$place"
  done
  ;;
esac

# The kubelet sets these of the whole computer: it gets copies to set.
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys \
  kernel/keys/root_maxbytes; do
  [ -e "/proc/sys/$name" ] || continue
  mkdir -p "/run/sysctl/${name%/*}"
  cat "/proc/sys/$name" > "/run/sysctl/$name"
  mount --bind "/run/sysctl/$name" "/proc/sys/$name"
done
# What pods mount on the node is seen by the node, if they ask for it.
mount --make-rshared /

until ip route | grep -q ^default; do sleep 0.05; done
sysctl --quiet -w net.ipv4.ip_forward=1
cd /etc/kubernetes
. ./environment

containerd --config containerd.toml > /var/log/containerd.log 2>&1 &
{
  until ctr version > /dev/null 2>&1 && curl -sk "$SERVER/readyz" | grep -qx ok; do sleep 0.1; done
  kube-proxy --config kube-proxy.json > /var/log/kube-proxy.log 2>&1 &
  exec kubelet --config kubelet.json --kubeconfig kubelet.conf --hostname-override "$NODE" --node-ip "$ADDRESS" \
    --node-labels "$LABELS" > /var/log/kubelet.log 2>&1
} &
# Keeps the table of processes free of those that ended as orphans.
exec tini -- sleep infinity
