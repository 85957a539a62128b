import { createHash } from "node:crypto";
import { ApiServer } from "../apiserver/server.ts";
import type { ApiServerOptions } from "../apiserver/server-options.ts";
import { seededEntropy } from "../base/entropy.ts";
import { noLog } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { versionInfo } from "../cluster/version.ts";
import { verifySignature } from "../platform/pki/verify-with-node.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { assembleCluster } from "./create-cluster.ts";
import { testTokenIssuer } from "./test-token-issuer.ts";

/** What the state of a new cluster depends on. */
export interface PristineOptions extends Pick<ApiServerOptions, "kinds" | "runtimeConfig"> {
  /** When it was made, in milliseconds since the epoch; any time before now if not given. */
  readonly startedAt: number | undefined;
  /** How many nodes it has, and with them all that runs in a cluster; the API server alone if not given. */
  readonly nodes?: number | undefined;
}

/** A new cluster that nobody uses but to fork it. */
export interface Pristine {
  readonly server: ApiServer;
  readonly store: MemoryStore;
}

/** The cluster for these options, which is made once for each that differ. */
export function pristine(options: PristineOptions): Promise<Pristine> {
  const found = known.find((each) => isSame(each.options, options));
  if (found) return found.made;
  const entry = { options, made: options.nodes === undefined ? make(options) : settled(options) };
  known.push(entry);
  if (known.length > mostKept) known.shift();
  entry.made.catch(() => known.splice(known.indexOf(entry), 1));
  return entry.made;
}

const known: { readonly options: PristineOptions; readonly made: Promise<Pristine> }[] = [];
const mostKept = 16;

const isSame = (a: PristineOptions, b: PristineOptions): boolean =>
  a.startedAt === b.startedAt &&
  a.nodes === b.nodes &&
  JSON.stringify(a.runtimeConfig) === JSON.stringify(b.runtimeConfig) &&
  a.kinds.length === b.kinds.length &&
  a.kinds.every((kind, i) => kind === b.kinds[i]);

async function make({ kinds, runtimeConfig, startedAt = Date.now() }: PristineOptions) {
  // Nothing ever happens here: no time passes.
  const clock = new VirtualClock(startedAt);
  const store = new MemoryStore(clock);
  // No seed that a cluster has: else its first objects had the uids of what is there already.
  const random = new SeededRandom(2 ** 41);
  const server = await ApiServer.open({
    store,
    kinds,
    ...(runtimeConfig && { runtimeConfig }),
    clock,
    random,
    entropy: seededEntropy(random),
    log: noLog,
    sha256: (text) => createHash("sha256").update(text).digest(),
    verifySignature,
    version: versionInfo,
    address: () => "kubernetes.default.svc",
    tokenIssuer: testTokenIssuer(),
  });
  return { server, store };
}

/** A cluster in which controllers and nodes have done all that a new one needs. */
async function settled({ nodes = 0, ...options }: PristineOptions): Promise<Pristine> {
  const from = await pristine(options);
  const random = (stream: number): SeededRandom => new SeededRandom(2 ** 42 + stream);
  const { cluster, state, halt } = assembleCluster({
    from,
    now: options.startedAt ?? Date.now(),
    random: { server: random(0), controlPlane: random(1), others: random(2) },
    namespace: undefined,
    controlPlane: { nodes },
    options: {},
  });
  await cluster.settled();
  halt();
  return state;
}
