import { existsSync } from "node:fs";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { type Bandwidth, limitCommands } from "./bandwidth.ts";
import {
  isIpv6,
  limiterName,
  linkName,
  nodeCommands,
  type PodLink,
  podCommands,
} from "./pod-link.ts";

/** Connects a pod with its node, in place of a link that an interrupted call has left. */
export async function connectPod(link: PodLink, bandwidth: Bandwidth): Promise<void> {
  try {
    await connect(link, bandwidth);
  } catch {
    await disconnectPod(link.sandboxId);
    try {
      await connect(link, bandwidth);
    } catch (error) {
      await disconnectPod(link.sandboxId);
      throw error;
    }
  }
}

/** Removes the interfaces of a pod, and with them its routes. */
export async function disconnectPod(sandboxId: string): Promise<void> {
  const left = (): readonly string[] =>
    [linkName(sandboxId), limiterName(sandboxId)].filter(linkExists);
  const names = left();
  if (names.length === 0) return;
  // They may go meanwhile, with the pod's namespace.
  const { stderr } = await runChild("ip", ["-force", "-batch", "-"], {
    input: names.map((name) => `link delete dev ${name}\n`).join(""),
  });
  if (left().length > 0) throw new Error(`cannot remove ${left().join()}: ${stderr.trim()}`);
}

/** Whether this network namespace has an interface. */
export const linkExists = (name: string): boolean => existsSync(`/proc/sys/net/ipv4/conf/${name}`);

/** By one script: each process more would delay the pod's start. */
async function connect(link: PodLink, bandwidth: Bandwidth): Promise<void> {
  const { namespace, addresses } = link;
  const limits = limitCommands(link, bandwidth);
  const pod = podCommands(link).join("\n");
  const inside = addresses.some(isIpv6) ? `sh -c '${enableIpv6}' sh` : "";
  const script = `set -e
ip -batch - <<END
${nodeCommands(link).join("\n")}
${limits.links.join("\n")}
END
${limits.traffic.length === 0 ? "" : `tc -batch - <<END\n${limits.traffic.join("\n")}\nEND`}
exec nsenter --net="$1" ${inside} ip -batch - <<END
${pod}
END`;
  await mustRun("sh", ["-c", script, "sh", namespace]);
}

/** A namespace inherits that IPv6 is disabled from a machine that is configured so. */
const enableIpv6 = `for i in all eth0 lo; do read -r v < /proc/sys/net/ipv6/conf/$i/disable_ipv6; [ "$v" = 0 ] || echo 0 > /proc/sys/net/ipv6/conf/$i/disable_ipv6; done; exec "$@"`;
