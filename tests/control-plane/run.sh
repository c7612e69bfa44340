#!/usr/bin/env bash
# Tests workbenches on a real Kubernetes control plane on loopback. install.sh installs its programs.
#
# Usage: tests/control-plane/run.sh [folder]     (default: ~/.cache/atelier-control-plane)
#
# There is no kubelet and no container: the tests play the node, and set the status of pods as a kubelet does.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-$HOME/.cache/atelier-control-plane}
for name in etcd kube-apiserver kube-scheduler kube-controller-manager; do
    [[ -x $folder/bin/$name ]] || { echo "error: $folder/bin/$name is missing; run tests/control-plane/install.sh" >&2; exit 2; }
done

# Builds before the control plane starts, so that the tests have the machine for themselves.
cargo test --locked --workspace --test api --no-run

work=$(mktemp -d)
pids=()
end() {
    status=$?
    kill "${pids[@]}" 2>/dev/null || true
    wait
    if ((status)); then tail -n 20 "$work"/*.log >&2; fi
    rm -rf "$work"
}
trap end EXIT

free_ports() {
    python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))'
}
read -r etcd_port peer_port api_port <<<"$(free_ports)"
start() { "$folder/bin/$1" "${@:2}" >"$work/$1.log" 2>&1 & pids+=($!); }

start etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" --initial-cluster "default=http://127.0.0.1:$peer_port" \
    --unsafe-no-fsync

openssl genrsa -out "$work/accounts.key" 2048 2>/dev/null
admin_token=$(openssl rand -hex 16) platform_token=$(openssl rand -hex 16)
printf '%s,admin,admin,"system:masters"\n%s,platform,platform\n' "$admin_token" "$platform_token" >"$work/tokens"
api=https://127.0.0.1:$api_port
start kube-apiserver --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 --secure-port "$api_port" \
    --insecure-port 0 --cert-dir "$work/certificates" --token-auth-file "$work/tokens" --authorization-mode RBAC \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$work/accounts.key" \
    --service-account-signing-key-file "$work/accounts.key" --service-cluster-ip-range 10.0.0.0/24

is_ready() { curl -sf --noproxy '*' --cacert "$work/certificates/apiserver.crt" -H "Authorization: Bearer $admin_token" "$api/readyz" >/dev/null; }
for _ in {1..300}; do
    is_ready && break
    kill -0 "${pids[@]}" 2>/dev/null || { echo "error: the control plane has ended" >&2; exit 1; }
    sleep 0.2
done
is_ready || { echo "error: the API server is not ready after a minute" >&2; exit 1; }

authority=$(base64 --wrap 0 "$work/certificates/apiserver.crt")
kubeconfig() {
    cat >"$work/$1.kubeconfig" <<END
{"apiVersion": "v1", "kind": "Config", "current-context": "test",
 "clusters": [{"name": "test", "cluster": {"server": "$api", "certificate-authority-data": "$authority"}}],
 "users": [{"name": "user", "user": {"token": "$2"}}],
 "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user"}}]}
END
}
kubeconfig admin "$admin_token"
kubeconfig platform "$platform_token"

start kube-scheduler --kubeconfig "$work/admin.kubeconfig" --port 0 --secure-port 0 --leader-elect=false
start kube-controller-manager --kubeconfig "$work/admin.kubeconfig" --port 0 --secure-port 0 --leader-elect=false \
    --service-account-private-key-file "$work/accounts.key"

CONTROL_PLANE=$work cargo test --locked --workspace --test api -- --ignored --test-threads 1 workbenches::control_plane
