#!/bin/sh
# The second half of the control plane's start, already inside its file system.
set -eu
umount -l /run/old
rmdir /run/old
until ip route | grep -q ^default; do sleep 0.05; done
cd /etc/kubernetes
. ./environment

# In memory: a cluster lives for minutes, and waiting for disks is waiting for nothing.
etcd --data-dir /run/etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 > /var/log/etcd.log 2>&1 &

# Started anew when it ends, as anywhere.
while :; do
  kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --secure-port="$API_PORT" \
    --advertise-address="$ADDRESS" --service-cluster-ip-range="$SERVICE_NETWORK" --allow-privileged=true \
    --tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key --client-ca-file=ca.crt \
    --token-auth-file=tokens.csv --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
    --kubelet-client-certificate=kubelet-client.crt --kubelet-client-key=kubelet-client.key \
    --kubelet-preferred-address-types=InternalIP --service-account-issuer="$ISSUER" \
    --service-account-key-file=service-account.key --service-account-signing-key-file=service-account.key \
    >> /var/log/kube-apiserver.log 2>&1 || sleep 0.5
done &
until curl -sk "https://127.0.0.1:$API_PORT/readyz" | grep -qx ok; do sleep 0.1; done

kube-controller-manager --kubeconfig=controller-manager.conf --leader-elect=false --use-service-account-credentials \
  --root-ca-file=ca.crt --service-account-private-key-file=service-account.key --cluster-cidr="$POD_NETWORK" \
  --node-monitor-period=2s --node-monitor-grace-period=20s > /var/log/kube-controller-manager.log 2>&1 &
kube-scheduler --kubeconfig=scheduler.conf --leader-elect=false > /var/log/kube-scheduler.log 2>&1 &
coredns -conf Corefile > /var/log/coredns.log 2>&1 &
# Keeps the table of processes free of those that ended as orphans.
exec tini -- sleep infinity
