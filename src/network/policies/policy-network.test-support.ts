import { mustRun } from "../../platform/run-child.ts";
import type { RunNft } from "./nft.ts";
import { openSocketNamespace, type SocketNamespace } from "./pod-sockets.test-support.ts";

/** A pod in a namespace of its own, with an address of each family. */
export interface NetworkPod {
  readonly at: SocketNamespace;
  readonly addresses: readonly [string, string];
}

/** A node in a namespace, whose pods are routed as those of a real node. */
export interface PolicyNetwork {
  readonly node: SocketNamespace;
  readonly nodeAddresses: readonly [string, string];
  /** Runs nft at the node. */
  readonly run: RunNft;
  readonly pods: readonly NetworkPod[];
  /** Runs a script of the shell at the node. */
  script(text: string): Promise<string>;
}

/** Opens a node with so many pods until the test ends; they are 10.9.0.1, fd09::1 and so on. */
export async function openPolicyNetwork(count: number): Promise<PolicyNetwork> {
  const all = await Promise.all(Array.from({ length: count + 1 }, () => openSocketNamespace()));
  const [node, ...rest] = all;
  if (!node) throw new Error("there is no node");
  const pods = rest.map(
    (at, i): NetworkPod => ({ at, addresses: [`10.9.0.${i + 1}`, `fd09::${i + 1}`] }),
  );
  const script = (text: string): Promise<string> =>
    mustRun("nsenter", [`--net=${node.path}`, "sh", "-e", "-c", text]);
  const links = pods.flatMap(({ at, addresses: [v4, v6] }, i) => [
    `link add pod${i} type veth peer name eth0 netns ${at.pid}`,
    `addr add ${gateway} dev pod${i}`,
    `addr add fe80::1/64 dev pod${i} nodad`,
    `link set pod${i} up`,
    `route add ${v4}/32 dev pod${i}`,
    `route add ${v6}/128 dev pod${i}`,
  ]);
  await script(`
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
ip addr add ${nodeAddresses[0]}/32 dev lo
ip addr add ${nodeAddresses[1]}/128 dev lo
ip -batch - <<END
${links.join("\n")}
END`);
  await Promise.all(
    pods.map(({ at, addresses: [v4, v6] }) =>
      mustRun("nsenter", [`--net=${at.path}`, "ip", "-batch", "-"], {
        input: `addr add ${v4}/32 dev eth0
addr add ${v6}/128 dev eth0 nodad
link set eth0 up
route add ${gateway} dev eth0
route add default via ${gateway} dev eth0 src ${v4}
route add default via fe80::1 dev eth0 src ${v6}
`,
      }),
    ),
  );
  const run: RunNft = async (input) => {
    await mustRun("nsenter", [`--net=${node.path}`, "nft", "-f", "-"], { input });
  };
  return { node, nodeAddresses, run, pods, script };
}

const gateway = "169.254.9.9";
const nodeAddresses = ["10.9.9.9", "fd09::9999"] as const;
