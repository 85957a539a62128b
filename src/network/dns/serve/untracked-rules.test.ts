import { expect } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { untrackedRules } from "./untracked-rules.ts";

/** Says on UDP and TCP at which address it listens. */
const server = `
const { createSocket } = require("node:dgram");
const address = process.argv[1];
const udp = createSocket("udp4").on("message", (_, { port, address: to }) => udp.send(address, port, to));
udp.bind(53, address, () =>
  require("node:net").createServer((socket) => socket.end(address)).listen(53, address));`;

/** Prints what the server at 10.0.0.10 says. */
const client = `
const { createSocket } = require("node:dgram");
const udp = createSocket("udp4").on("message", (text) => {
  udp.close();
  console.log("udp " + text);
  const tcp = require("node:net").connect(53, "10.0.0.10");
  tcp.on("data", (text) => console.log("tcp " + text)).on("error", ({ code }) => console.log("tcp " + code));
});
udp.send("?", 53, "10.0.0.10");`;

/** A node with a proxy that translates the address of DNS to another one, and a pod. */
const script = `
set -e
ip link set lo up
ip addr add 10.0.0.10/32 dev lo
ip addr add 10.9.9.9/32 dev lo
unshare -n sleep 60 & pod=$!
trap 'kill $pod $own $other 2>/dev/null' EXIT
until [ "$(readlink /proc/$pod/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
ip link add v0 type veth peer name eth0 netns $pod
ip addr add 10.1.0.1/24 dev v0
ip link set v0 up
nsenter -t $pod -n ip -batch - <<END
addr add 10.1.0.2/24 dev eth0
link set eth0 up
route add default via 10.1.0.1
END
nft -f - <<END
table ip proxy {
  chain prerouting {
    type nat hook prerouting priority dstnat
    ip daddr 10.0.0.10 meta l4proto { tcp, udp } th dport 53 dnat to 10.9.9.9
  }
}
END
printf %s "$1" | nft -f -
listening() { until ss -Hltn "src $1" | grep -q .; do sleep 0.02; done; }
node -e "$2" 10.9.9.9 & other=$!
node -e "$2" 10.0.0.10 & own=$!
listening 10.9.9.9; listening 10.0.0.10
nsenter -t $pod -n node -e "$3"
kill $own; wait $own || true
nsenter -t $pod -n node -e "$3"
node -e "$2" 10.0.0.10 & own=$!
listening 10.0.0.10
nsenter -t $pod -n node -e "$3"
`;

testWith(requires("nft", "boxes"))(
  "untrackedRules: a proxy takes over only while nobody listens on the node",
  async () => {
    const rules = untrackedRules(["10.0.0.10"], 53);
    const args = ["60", "unshare", "-n", "sh", "-c", script, "sh", rules, server, client];
    expect((await mustRun("timeout", args)).trim().split("\n")).toEqual([
      ...["udp 10.0.0.10", "tcp 10.0.0.10"],
      ...["udp 10.9.9.9", "tcp ECONNREFUSED"],
      ...["udp 10.0.0.10", "tcp 10.0.0.10"],
    ]);
  },
  60_000,
);
