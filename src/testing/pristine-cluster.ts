import { createHash } from "node:crypto";
import { ApiServer } from "../apiserver/server.ts";
import type { ApiServerOptions } from "../apiserver/server-options.ts";
import { seededEntropy } from "../base/entropy.ts";
import { noLog } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { ensureLocalVolumes } from "../cluster/join/ensure-local-volumes.ts";
import { versionInfo } from "../cluster/version.ts";
import { verifySignature } from "../platform/pki/verify-with-node.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { assembleCluster } from "./create-cluster.ts";
import { testTokenIssuer } from "./test-token-issuer.ts";

/** The options that affect the state of a new cluster. */
export interface PristineClusterOptions extends Pick<ApiServerOptions, "kinds" | "runtimeConfig"> {
  /** The features that are on and are not by default. */
  readonly features: ReadonlySet<string>;
  /** When it was created, in milliseconds since the epoch. Default: any time before now. */
  readonly startedAt: number | undefined;
  /** The number of nodes of a cluster with all components. Default: the API server alone. */
  readonly nodes?: number | undefined;
}

/** A new cluster that is only forked, never changed. */
export interface PristineCluster {
  readonly server: ApiServer;
  readonly store: MemoryStore;
}

/** Returns the cluster for these options; it is created once for each different set of options. */
export function pristineCluster(options: PristineClusterOptions): Promise<PristineCluster> {
  const found = known.find((each) => isSame(each.options, options));
  if (found) return found.made;
  const entry = { options, made: options.nodes === undefined ? make(options) : settled(options) };
  known.push(entry);
  if (known.length > mostKept) known.shift();
  entry.made.catch(() => known.splice(known.indexOf(entry), 1));
  return entry.made;
}

const known: {
  readonly options: PristineClusterOptions;
  readonly made: Promise<PristineCluster>;
}[] = [];
const mostKept = 16;

const isSame = (a: PristineClusterOptions, b: PristineClusterOptions): boolean =>
  a.startedAt === b.startedAt &&
  a.nodes === b.nodes &&
  String([...a.features].sort()) === String([...b.features].sort()) &&
  JSON.stringify(a.runtimeConfig) === JSON.stringify(b.runtimeConfig) &&
  a.kinds.length === b.kinds.length &&
  a.kinds.every((kind, i) => kind === b.kinds[i]);

async function make({
  kinds,
  runtimeConfig,
  features,
  startedAt = Date.now(),
}: PristineClusterOptions) {
  // Nothing runs here: time does not pass.
  const clock = new VirtualClock(startedAt);
  const store = new MemoryStore(clock);
  // A seed that no cluster has: otherwise, new objects would have the uids of existing ones.
  const random = new SeededRandom(2 ** 41);
  const server = await ApiServer.open({
    store,
    kinds,
    ...(runtimeConfig && { runtimeConfig }),
    features,
    clock,
    random,
    entropy: seededEntropy(random),
    log: noLog,
    sha256: (text) => createHash("sha256").update(text).digest(),
    verifySignature,
    version: versionInfo,
    address: () => "kubernetes.default.svc",
    resourceMetrics: true,
    tokenIssuer: testTokenIssuer(),
  });
  return { server, store };
}

/** Creates a cluster and waits until controllers and nodes have set it up. */
async function settled({
  nodes = 0,
  ...options
}: PristineClusterOptions): Promise<PristineCluster> {
  const from = await pristineCluster(options);
  const random = (stream: number): SeededRandom => new SeededRandom(2 ** 42 + stream);
  const { cluster, state, halt } = assembleCluster({
    from,
    now: options.startedAt ?? Date.now(),
    random: { server: random(0), controlPlane: random(1), others: random(2) },
    namespace: undefined,
    controlPlane: { nodes },
    features: options.features,
    options: {},
  });
  await ensureLocalVolumes(cluster.client);
  await cluster.settled();
  halt();
  return state;
}
