import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mustRun } from "../../platform/run-child.ts";
import type { BoxOptions } from "./box.ts";
import { removeBox } from "./close-box.ts";
import { openBox } from "./open-box.ts";
import { ensureOutbound, removeOutbound } from "./outbound.ts";

// A program that runs where a network namespace stands for the machine, and prints what it found.
const [one, two] = JSON.parse(process.argv[2] ?? "") as readonly [BoxOptions, BoxOptions];
const forwarding = "/proc/sys/net/ipv4/ip_forward";

/** Connects the machine with an address that knows no way back to nodes. */
async function connectOutside(address: string): Promise<() => void> {
  const outside = spawn("unshare", ["--net", "sh", "-c", "echo; exec sleep 1000"]);
  await once(outside.stdout, "data");
  const enter = `nsenter --net=/proc/${outside.pid}/ns/net`;
  const script = `
    ip link add out0 type veth peer name in0 netns ${outside.pid}
    ip addr add 192.0.2.1/24 dev out0
    ip link set out0 up
    ${enter} ip addr add ${address}/24 dev in0
    ${enter} ip link set in0 up`;
  await mustRun("sh", ["-e", "-c", script]);
  return () => outside.kill("SIGKILL");
}

const disconnect = await connectOutside("192.0.2.9");
try {
  const [box] = await Promise.all([openBox(one), openBox(two)]);
  const reaches = async (address: string): Promise<boolean> =>
    (await box.run("busybox", ["ping", "-c", "1", "-W", "1", address])).code === 0;
  const look = async (): Promise<object> => {
    const [otherNode, outside] = await Promise.all([reaches(two.address), reaches("192.0.2.9")]);
    const tables = (await mustRun("nft", ["list", "tables"])).trim().split("\n");
    const refused = await mustRun("ip", ["-json", "route", "show", "type", "unreachable"]);
    return {
      refused: (JSON.parse(refused || "[]") as { dst: string }[]).map(({ dst }) => dst),
      ...{ otherNode, outside, forwards: readFileSync(forwarding, "utf8").trim() },
      tables: tables.filter((line) => line !== "").length,
      hasState: existsSync("/run/wherry-forwarding"),
    };
  };
  const lookAtIpv6 = async (): Promise<object> => {
    const read = (path: string): string =>
      readFileSync(`/proc/sys/net/ipv6/conf/${path}`, "utf8").trim();
    const refused = await mustRun("ip", ["-6", "route", "show", "type", "unreachable"]);
    return {
      refused: refused.split("\n").filter((line) => line.includes("/")).length,
      ...{ forwards: read("all/forwarding"), routers: read("out0/accept_ra") },
      tables: (await mustRun("nft", ["list", "tables", "ip6"])).trim(),
    };
  };
  const ranges = { nodes: one.gateway.replace(/1$/, "0/24"), pods: "10.244.0.0/16" };
  const before = await look();
  await ensureOutbound("/one", ranges);
  const warnings = await ensureOutbound("/one", ranges);
  const during = await look();
  await ensureOutbound("/two", { nodes: "10.7.0.0/24", pods: "10.8.0.0/16" });
  await removeOutbound("/one");
  const withOther = await look();
  await mustRun("nft", ["add table ip filter"]);
  const chain = "{ type filter hook forward priority 0; policy drop; }";
  await mustRun("nft", [`add chain ip filter FORWARD ${chain}`]);
  const withFirewall = await ensureOutbound("/two", ranges);
  await removeOutbound("/two");
  const forOthers = await look();
  await mustRun("nft", ["delete table ip filter"]);
  writeFileSync(forwarding, "0");
  await ensureOutbound("/one", ranges);
  await removeOutbound("/one");
  const after = await look();
  await ensureOutbound("/one", { ...ranges, ipv6: "fd12:3456:789a" });
  const withBoth = await lookAtIpv6();
  // Another cluster that has only IPv4 goes on.
  await ensureOutbound("/two", { nodes: "10.7.0.0/24", pods: "10.8.0.0/16" });
  await removeOutbound("/one");
  const afterBoth = await lookAtIpv6();
  await removeOutbound("/two");
  const found = {
    withBoth,
    afterBoth,
    before,
    warnings,
    during,
    withOther,
    withFirewall,
    forOthers,
    after,
  };
  process.stdout.write(JSON.stringify(found));
} finally {
  disconnect();
  await Promise.all([one, two].map(({ folder }) => removeBox(folder)));
}
