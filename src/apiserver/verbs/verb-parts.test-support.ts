import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { kinds } from "../../api/kinds.generated.ts";
import { seededEntropy } from "../../base/entropy.ts";
import { noLog } from "../../base/log.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Kind } from "../../schema/language/kind.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/store.ts";
import { admitsAll } from "../admission/admission.ts";
import { anyOf } from "../authentication/token-authenticator.ts";
import { testTokenIssuer } from "../authentication/token-issuer.test-support.ts";
import { clusterPolicy } from "../authorization/cluster-policy.ts";
import { authorizerFor } from "../authorization/mode-authorizers.test-support.ts";
import { defaultModes } from "../authorization/modes.ts";
import type { Address } from "../objects/address.ts";
import { noAllocation } from "../objects/allocator.ts";
import { Committer } from "../objects/committer.ts";
import type { Environment } from "../objects/environment.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { ObjectReader } from "../objects/reader.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { Resources } from "../objects/resources.ts";
import { Stored } from "../objects/stored.ts";
import { WatchCache } from "../watch/watch-cache.ts";
import { createNamespace } from "./create-namespace.ts";
import type { VerbParts } from "./verb-parts.ts";

/** The parts of a server on an empty memory store, without admission. */
export interface TestParts extends VerbParts {
  readonly store: MemoryStore;
  readonly cache: WatchCache;
  readonly clock: VirtualClock;
  readonly createNamespace: (name: string) => Promise<void>;
}

export async function openParts(start = Date.UTC(2026, 0, 1)): Promise<TestParts> {
  const clock = new VirtualClock(start);
  const store = new MemoryStore(clock);
  const random = new SeededRandom(1);
  const environment: Environment = {
    clock,
    random,
    entropy: seededEntropy(random),
    log: noLog,
    eventTtlMs: 3_600_000,
    minWatchMs: 1_800_000,
  };
  const cache = await WatchCache.open(store, clock, kinds as readonly AnyKind[]);
  const policy = clusterPolicy(cache, resources);
  const parts: TestParts = {
    store,
    clock,
    cache,
    reader: new ObjectReader({ cache, store, resources }),
    committer: new Committer({ cache, store, eventTtlMs: environment.eventTtlMs }),
    environment,
    admission: admitsAll,
    allocator: noAllocation,
    resources,
    access: {
      authorizer: authorizerFor(defaultModes, policy),
      policy,
      authentication: { tokens: anyOf([]), audiences: [], anonymous: true, onRefused: () => {} },
      tokenIssuer: testTokenIssuer(),
    },
    computed: () => undefined,
    createNamespace: (name) => createNamespace(parts, name),
  };
  return parts;
}

/** The same parts on another view of the store. */
export const withStore = <P extends TestParts>(parts: P, store: Store): P => ({
  ...parts,
  store,
  reader: new ObjectReader({ cache: parts.cache, store, resources }),
  committer: new Committer({
    cache: parts.cache,
    store,
    eventTtlMs: parts.environment.eventTtlMs,
  }),
});

export const resources = new Resources(kinds as readonly AnyKind[]);

export const configMapKind = ConfigMap as Kind<ApiObject>;

/** A kind by its name in the core group. */
export function coreKind(kind: string): AnyKind {
  const found = resources.findKind("", "v1", kind);
  if (!found) throw new Error(`there is no ${kind}`);
  return found;
}

export const context = (): RequestContext => ({
  user: { name: "admin", groups: ["system:masters"] },
  dryRun: false,
  fieldManager: "test",
  warnings: [],
});

export const addressOf = (kind: AnyKind, name: string): Address => ({
  kind,
  namespace: kind.scope === "Namespaced" ? "default" : "",
  name,
});

/** An object as it would be stored. */
export const objectOf = (kind: AnyKind, name: string, more: object = {}): ApiObject => {
  const { metadata, ...rest } = more as { metadata?: object };
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const namespaced = kind.scope === "Namespaced" && { namespace: "default" };
  return {
    kind: kind.kind,
    apiVersion,
    metadata: { name, ...namespaced, ...metadata },
    ...rest,
  } as ApiObject;
};

/** Stores an object, replacing the one that exists; returns it as it is stored. */
export async function write(
  { reader, committer }: Pick<VerbParts, "reader" | "committer">,
  kind: AnyKind,
  name: string,
  more: object = {},
): Promise<Stored> {
  const address = addressOf(kind, name);
  const ifRevision = reader.findCached(address)?.revision ?? 0;
  const outcome = await committer.put(address, { object: objectOf(kind, name, more), ifRevision });
  if (!(outcome instanceof Stored)) throw new Error(`writing ${name} met another write`);
  return outcome;
}
