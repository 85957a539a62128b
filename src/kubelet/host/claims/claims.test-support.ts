import { onTestFinished } from "vitest";
import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { SeededRandom } from "../../../base/random.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { Client } from "../../../client/client.ts";
import { startCluster } from "../../../testing/start-cluster.ts";
import { podWith } from "../../claims/claims.test-support.ts";
import { testFolder } from "../plugins/plugin.test-support.ts";
import { serveClaimDriver, type TestClaimDriverOptions } from "./claim-driver.test-support.ts";
import { type Claims, openClaims } from "./open-claims.ts";

/** The claims of a node named `node-1`, beside an API server. Its clock is moved by hand. */
export interface ClaimsWorld {
  readonly client: Client;
  readonly rootDir: string;
  readonly clock: VirtualClock;
  readonly metrics: MetricsRegistry;
  /** The pods that may run, by UID. */
  readonly active: Set<string>;
  /** The pods that had to be synced again. */
  readonly changed: string[];
  /** The claims that are open now. */
  readonly claims: Claims;
  /** Opens them again, as another kubelet. */
  reopen(): Promise<Claims>;
  /** Serves a driver, without registering it. */
  driver(options?: Partial<TestClaimDriverOptions>): ReturnType<typeof serveClaimDriver>;
  /** Creates a claim that is allocated and reserved for pods, by their UIDs. */
  claim(name: string, pods?: readonly string[], driver?: string): Promise<ResourceClaim>;
}

export async function openTestClaims(): Promise<ClaimsWorld> {
  const { client, close } = await startCluster({ namespace: "default" });
  onTestFinished(close);
  const rootDir = testFolder();
  const clock = new VirtualClock();
  const active = new Set<string>();
  const changed: string[] = [];
  let metrics = new MetricsRegistry();
  const open = () => {
    metrics = new MetricsRegistry();
    return openClaims({
      ...{ rootDir, client, clock, metrics, log: noLog, random: new SeededRandom(1) },
      node: () => ({ metadata: { name: "node-1" } }) as Node,
      isActive: async (podUid) => active.has(podUid),
      changed: (podUid) => void changed.push(podUid),
    });
  };
  let claims = await open();
  onTestFinished(() => claims.close());
  return {
    ...{ client, rootDir, clock, active, changed },
    get metrics() {
      return metrics;
    },
    get claims() {
      return claims;
    },
    async reopen() {
      claims.close();
      claims = await open();
      return claims;
    },
    driver: (options) => serveClaimDriver({ folder: testFolder(), ...options }),
    async claim(name, pods = ["p"], driver = "dra.example.com") {
      const requests = [{ name: "one", exactly: { deviceClassName: "example" } }];
      const key = { name, namespace: "default" };
      const spec = { devices: { requests } };
      await client.create(ResourceClaim, { metadata: key, spec } as never);
      const results = [{ request: "one", driver, pool: "pool", device: `device-${name}` }];
      const reservedFor = pods.map((uid) => ({ resource: "pods", name: uid, uid }));
      const status = { allocation: { devices: { results } }, reservedFor };
      return client.patch(
        ResourceClaim,
        key,
        { merge: { status } as never },
        { subresource: "status" },
      );
    },
  };
}

/** A driver as the plugin watcher tells of it. */
export const pluginOf = (
  { name, socket }: { readonly name: string; readonly socket: string },
  ...versions: readonly string[]
) => ({ name, endpoint: socket, versions: versions.length > 0 ? versions : ["v1.DRAPlugin"] });

/** A pod whose container uses one claim. */
export function podUsing(uid: string, claim: string): Pod {
  const pod = podWith(uid, claim);
  const containers = [{ name: "c", resources: { claims: [{ name: `my-${claim}` }] } }];
  return { ...pod, spec: { ...pod.spec, containers } } as never;
}
