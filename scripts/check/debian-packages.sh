#!/bin/sh
# What the tests use beyond Node: installed where that is possible, named where it is not.
# Tests that miss something are skipped and say so.
set -u

missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need etcd etcd-server
need etcdctl etcd-client
need strace strace
need openssl openssl
if [ "$(uname -s)" = Linux ]; then
  need runc runc
  need conmon conmon
  need containerd containerd
  need catatonit catatonit
  need busybox busybox-static
  need socat socat
  need nft nftables
  need conntrack conntrack
  need ip iproute2
  need docker docker.io
  [ -x /usr/lib/cni/bridge ] || missing="$missing containernetworking-plugins"
fi

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null 2>&1; then
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  {
    apt-get install -qq -y --no-install-recommends $missing ||
      { apt-get update -qq && apt-get install -qq -y --no-install-recommends $missing; }
  } </dev/null >/dev/null 2>&1 && exit 0
  echo "could not install$missing: the tests that need them are skipped" >&2
else
  echo "missing$missing (names of Debian packages): the tests that need them are skipped" >&2
fi
