/** As root, once in a machine's life, before anybody logs in. */
export function userData(ttlS: number): string {
  return `#!/bin/bash
set -eu
# A machine nobody took down takes itself down: shutting down terminates it. Planned at every start: a stop forgets it.
end=/var/lib/cloud/scripts/per-boot/gatebench-end
mkdir -p "$(dirname "$end")"
cat > "$end" << 'END'
#!/bin/sh
shutdown -h +${Math.ceil(ttlS / 60)} "gatebench: this machine's time is over" &
END
chmod +x "$end"
"$end"

# Many connections at once, from ports above those the workloads listen on.
cat > /etc/sysctl.d/90-gatebench.conf << 'END'
net.core.somaxconn = 65535
net.ipv4.tcp_max_syn_backlog = 65535
net.ipv4.ip_local_port_range = 32768 65535
net.ipv4.tcp_tw_reuse = 1
END
sysctl --quiet --load=/etc/sysctl.d/90-gatebench.conf

dnf install --quiet --assumeyes docker ethtool
# Amazon Linux gives containers 65,536 open files: fewer than connections of a large load.
mkdir -p /etc/sysconfig
echo 'OPTIONS="--default-ulimit nofile=1048576:1048576"' > /etc/sysconfig/docker
systemctl enable --now docker
usermod --append --groups docker ec2-user
`;
}

/** Returns when the user data has run, and fails where it did. */
export const ready = "cloud-init status --wait > /dev/null";
