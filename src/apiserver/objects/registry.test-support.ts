import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { kinds } from "../../api/kinds.generated.ts";
import { seededEntropy } from "../../base/entropy.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Kind } from "../../schema/language/kind.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { noAllocation } from "../allocation/no-allocation.ts";
import { anyOf } from "../authentication/token-authenticator.ts";
import { testTokenIssuer } from "../authentication/token-issuer.test-support.ts";
import { authorizerFor, defaultModes } from "../authorization/modes.ts";
import { clusterPolicy } from "../authorization/policy.ts";
import { WatchCache } from "../watch/watch-cache.ts";
import type { AnyKind, ApiObject } from "./object.ts";
import { type Address, put, type Registry, type RequestContext } from "./registry.ts";
import { Resources } from "./resources.ts";
import { Stored } from "./stored.ts";

/** A registry on an empty memory store, without admission, for tests of its parts. */
export interface TestRegistry extends Registry {
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
}

export async function openRegistry(start = Date.UTC(2026, 0, 1)): Promise<TestRegistry> {
  const clock = new VirtualClock(start);
  const store = new MemoryStore(clock);
  const random = new SeededRandom(1);
  const cache = await WatchCache.open(store, clock, kinds as readonly AnyKind[]);
  const policy = clusterPolicy(cache, resources);
  return {
    store,
    clock,
    cache,
    random,
    entropy: seededEntropy(random),
    admission: { admit: async () => {}, validate: async () => {} },
    allocator: noAllocation,
    resources,
    authorizer: authorizerFor(defaultModes, policy),
    policy,
    authentication: { tokens: anyOf([]), audiences: [], anonymous: true, onRefused: () => {} },
    tokenIssuer: testTokenIssuer(),
    eventTtlMs: 3_600_000,
    minWatchMs: 1_800_000,
  };
}

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

/** Writes an object, whatever is there; answers with it as it is stored. */
export async function write(
  registry: Registry,
  kind: AnyKind,
  name: string,
  more: object = {},
): Promise<Stored> {
  const address = addressOf(kind, name);
  const { cache } = registry;
  const key = `/registry/${kind.storagePrefix}/${address.namespace === "" ? "" : "default/"}${name}`;
  const ifRevision = cache.of(kind).get(key)?.revision ?? 0;
  const outcome = await put(registry, address, { object: objectOf(kind, name, more), ifRevision });
  if (!(outcome instanceof Stored)) throw new Error(`writing ${name} met another write`);
  return outcome;
}
