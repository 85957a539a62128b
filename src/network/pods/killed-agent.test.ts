import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { SeededRandom } from "../../base/random.ts";
import { portMapping } from "./host-port-mapping.test-support.ts";
import {
  type Namespace,
  openNamespace,
  podAt,
  startAgent,
  type TestPod,
  testFolder,
  until,
} from "./namespaces.test-support.ts";

const rounds = Number(process.env.WHERRY_KILLS ?? 15);

/** What the kernel and the folder have of pods. */
async function look(node: Namespace, folder: string) {
  const text = await node.run(
    `ip -oneline link show group 87; echo -; ip route show proto 87; ip -6 route show proto 87; echo -; nft list table inet wherry-hostports 2>/dev/null || true`,
  );
  const [links = "", routes = "", ports = ""] = text.split("-\n");
  const sorted = (found: RegExpMatchArray | null) => [...(found ?? [])].sort();
  return {
    addresses: Object.fromEntries(
      readdirSync(folder).map((name) => [name, readlinkSync(`${folder}/${name}`)]),
    ),
    links: sorted(links.match(/veth[0-9a-f]+/g)),
    routes: sorted(routes.match(/^[0-9a-f.:]+(?= dev)/gm)),
    targets: sorted(ports.match(/10\.1\.2\.\d+(?= \. 80)/g)),
  };
}

testWith(requires("containers", "nft"))(
  "routedNetwork: an agent that is killed anywhere loses no address, and gives none twice",
  async () => {
    const random = new SeededRandom(Number(process.env.WHERRY_SEED ?? 1));
    const pick = (n: number): number => Math.floor(random.next() * n);
    const node = await openNamespace();
    const options = { folder: `${testFolder()}/addresses`, podCidr: "10.1.2.0/28,fd00:1::/124" };
    const places = await Promise.all(Array.from({ length: 6 }, () => openNamespace()));
    /** The pods that are connected, by their places, as an engine has recorded them. */
    const connected = new Map<Namespace, TestPod & { readonly ips: readonly string[] }>();
    let number = 0;
    for (let round = 0; round < rounds; round++) {
      const agent = await startAgent(node, options);
      const kept = [...connected.values()];
      await agent.takeOver(kept, []);
      const unsure: TestPod[] = [];
      const work = places.map(async (at) => {
        for (;;) {
          const pod = connected.get(at);
          if (pod) {
            connected.delete(at);
            unsure.push(pod);
            await agent.remove(pod);
          } else {
            const added = podAt(at, ++number, {
              portMappings: [portMapping({ hostPort: 8000 + number })],
            });
            unsure.push(added);
            connected.set(at, { ...added, ips: await agent.add(added) });
          }
          unsure.splice(
            unsure.findIndex((one) => one.namespace === at.path),
            1,
          );
        }
      });
      const ended = Promise.allSettled(work);
      await new Promise((resolve) => setTimeout(resolve, pick(120)));
      await agent.kill();
      // Programs that it has started are at work a little longer.
      await until(node, "true", () => processesIn(node) === 1);
      const next = await startAgent(node, options);
      for (const pod of unsure) await next.remove(pod);
      const pods = [...connected.values()];
      await next.takeOver(pods, []);
      const owners = pods.flatMap(({ ips, sandboxId }) =>
        ips.map((ip) => [ip, sandboxId] as const),
      );
      expect(new Set(owners.map(([ip]) => ip)).size, `round ${round}`).toBe(owners.length);
      expect(await look(node, options.folder), `round ${round}`).toEqual({
        addresses: Object.fromEntries(owners),
        links: pods.map(({ sandboxId }) => `veth${sandboxId.slice(0, 11)}`).sort(),
        routes: owners.map(([ip]) => ip).sort(),
        targets: pods.map(({ ips: [ip = ""] }) => ip).sort(),
      });
      await next.kill();
      void ended;
    }
  },
  60_000 + rounds * 3000,
);

/** How many processes are in a network namespace. */
function processesIn({ path }: Namespace): number {
  const own = readlinkSync(path);
  return readdirSync("/proc").filter((pid) => {
    try {
      const isThread = /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/ns/net`) === own;
      return isThread && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
    } catch {
      return false;
    }
  }).length;
}
