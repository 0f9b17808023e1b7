#!/bin/sh
# The first process of a machine, in namespaces of its own: puts its file system together, starts sshd and Docker, and
# then only waits. When it ends, the kernel ends everything else in the machine and takes the mounts away.
#   boot.sh MACHINE-FOLDER HOST-NAME CGROUP
set -eu
machine=$1 name=$2 cgroup=$3
root=$machine/root

mount --bind "$root" "$root"
# The programs and settings of this computer, under changes of the machine's own.
for part in usr etc; do
  mount -t overlay overlay "$root/$part" \
    -o "lowerdir=/$part,upperdir=$machine/upper/$part,workdir=$machine/work/$part"
done
mount --bind "$machine/local" "$root/usr/local"
mount -t proc proc "$root/proc"
# A sysfs made here shows this machine's network devices; Docker needs the control groups beside it.
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
hostname "$name"
ip link set lo up

cd "$root"
mkdir -p run/old
pivot_root . run/old
# The last variable is for whoever looks for the processes of a machine.
exec chroot . /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LANG=C.UTF-8 HOME=/root \
  GATEBENCH_TWIN_MACHINE="$machine" /usr/local/libexec/twin/start "$cgroup"
