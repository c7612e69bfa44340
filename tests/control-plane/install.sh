#!/usr/bin/env bash
# Installs a Kubernetes control plane for tests/control-plane: etcd from Debian, and the API server, the scheduler and the
# controller manager built from Debian's source. Needs Debian bookworm, root and about 5 minutes on 2 cores.
#
# Usage: tests/control-plane/install.sh [folder]     (default: ~/.cache/atelier-control-plane)
set -euo pipefail
folder=${1:-$HOME/.cache/atelier-control-plane}
programs=(kube-apiserver kube-scheduler kube-controller-manager)

is_complete() { local name; for name in etcd "${programs[@]}"; do [[ -x $folder/bin/$name ]] || return 1; done; }
if is_complete; then
    echo "$folder/bin has them already"
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{apt,lists/partial,debs}

# Debian's sources, besides the packages that are set up on this machine.
sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/apt/source.sources"
sources=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt" -o "Dir::State::lists=$work/lists"
    -o APT::Sandbox::User=root)
apt-get update -q
apt-get install -y -q --no-install-recommends golang-1.19-go dpkg-dev rsync jq make
apt-get "${sources[@]}" update -q
cd "$work"
apt-get "${sources[@]}" source -q --download-only kubernetes
dpkg-source -x kubernetes_*.dsc source
(cd debs && apt-get -o APT::Sandbox::User=root download -q etcd-server golang-github-modern-go-reflect2-dev)
for package in debs/*.deb; do dpkg-deb -x "$package" debs/extracted; done

# The reflect2 of this source does not work with Go 1.19.
reflect2=vendor/github.com/modern-go/reflect2
rm -rf "source/$reflect2"
cp -r debs/extracted/usr/share/gocode/src/github.com/modern-go/reflect2 "source/$reflect2"

cd source
export PATH=/usr/lib/go-1.19/bin:$PATH GOFLAGS=-mod=vendor CGO_ENABLED=0 KUBE_GIT_VERSION=v1.20.2 KUBE_GIT_TREE_STATE=clean
export GOCACHE=$work/go-cache GOPATH=$work/go
make WHAT="${programs[*]/#/cmd/}"
mkdir -p "$folder/bin"
cp "${programs[@]/#/_output/bin/}" "$folder/bin/"
cp ../debs/extracted/usr/bin/etcd "$folder/bin/"
is_complete
echo "installed in $folder/bin"
