import { writeFile } from "node:fs/promises";
import type { PortMapping } from "../../cri/linux-types.ts";
import { runChild } from "../../platform/run-child.ts";
import { runNft } from "../run-nft.ts";
import { hostPortRules, type MappedPod } from "./host-port-rules.ts";
import { linkName } from "./pod-link.ts";

/** The ports of this node that lead to pods. The table is replaced as a whole, so that it never has what is gone. */
export class HostPorts {
  /** By sandbox; the one that has been there longest first. */
  readonly #pods = new Map<string, MappedPod>();
  #writing: Promise<void> = Promise.resolve();

  /** Sets the pods that an earlier process has left, and removes what it knew of others. */
  async takeOver(pods: ReadonlyMap<string, MappedPod>): Promise<void> {
    for (const [sandboxId, pod] of pods) if (hasPorts(pod)) this.#pods.set(sandboxId, pod);
    await this.#write();
  }

  async add(sandboxId: string, pod: MappedPod): Promise<void> {
    if (!hasPorts(pod)) return;
    this.#pods.set(sandboxId, pod);
    // Replies to the loopback of the node come back through this interface.
    await writeFile(`/proc/sys/net/ipv4/conf/${linkName(sandboxId)}/route_localnet`, "1");
    await this.#write();
    await forgetFlows(pod.mappings);
  }

  async remove(sandboxId: string): Promise<void> {
    const pod = this.#pods.get(sandboxId);
    if (!pod) return;
    this.#pods.delete(sandboxId);
    await this.#write();
    await forgetFlows(pod.mappings);
  }

  /** One at a time, so that the last one has the newest pods. */
  #write(): Promise<void> {
    const write = (): Promise<void> => runNft(hostPortRules([...this.#pods.values()]));
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }
}

const hasPorts = ({ mappings }: MappedPod): boolean =>
  mappings.some(({ hostPort }) => hostPort > 0);

/**
 * Has packets of UDP that go on find their new way. Without the program, those of a client that never stops keep the
 * way that they had.
 */
async function forgetFlows(mappings: readonly PortMapping[]): Promise<void> {
  for (const { protocol, hostPort } of mappings)
    if (protocol === "UDP" && hostPort > 0)
      for (const family of ["ipv4", "ipv6"])
        await runChild("conntrack", [
          ...["-D", "-f", family, "-p", "udp", "--dport", String(hostPort)],
        ]).catch(() => {});
}
