import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podConfigMapNames, podSecretNames } from "../../api/core/v1/pod/pod-references.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { ObjectKey, ResourceKind } from "../../client/resource-kind.ts";
import { readerOf, referenceReader } from "./reference-reader.ts";
import type { WatchedReferences } from "./watched-references.ts";

/** How a kubelet learns that config maps and secrets have changed. */
export type ReferenceStrategy = "Get" | "Cache" | "Watch";

/** Reads each config map and secret with a request each time that a pod is synced. */
export const requestedReferences = (client: Client): WatchedReferences => ({
  ...referenceReader(client),
  retain() {},
  release() {},
  close() {},
});

export interface CachedReferencesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly node: () => Node | undefined;
}

/**
 * Caches config maps and secrets of pods for a time that the cluster sets by an annotation of the node, or for a
 * minute. They are read anew when a pod that refers to them has changed.
 */
export function cachedReferences(options: CachedReferencesOptions): WatchedReferences {
  const configMaps = cachedObjects(ConfigMap, options);
  const secrets = cachedObjects(Secret, options);
  const seen = new Map<string, string | undefined>();
  return {
    ...readerOf({ configMap: configMaps.get, secret: secrets.get }),
    retain(pod: Pod) {
      const { uid = "", namespace = "", resourceVersion } = pod.metadata;
      if (seen.has(uid) && seen.get(uid) === resourceVersion) return;
      seen.set(uid, resourceVersion);
      configMaps.retain(uid, namespace, podConfigMapNames(pod.spec));
      secrets.retain(uid, namespace, podSecretNames(pod.spec));
    },
    release(podUid) {
      seen.delete(podUid);
      configMaps.retain(podUid, "", []);
      secrets.retain(podUid, "", []);
    },
    close() {},
  };
}

interface CachedObject<O> {
  readonly object: O | undefined;
  readonly readAt: number;
}

function cachedObjects<O>(kind: ResourceKind<O>, { client, clock, node }: CachedReferencesOptions) {
  const cache = new Map<string, CachedObject<O>>();
  const keysOf = new Map<string, readonly string[]>();
  return {
    async get(key: ObjectKey): Promise<O | undefined> {
      const text = keyText(key.namespace ?? "", key.name);
      const known = cache.get(text);
      const now = clock.now();
      if (known && now < known.readAt + ttlMs(node())) return known.object;
      try {
        const object = await ignoreNotFound(client.get(kind, key));
        if ([...keysOf.values()].some((keys) => keys.includes(text)))
          cache.set(text, { object, readAt: now });
        return object;
      } catch (error) {
        // An old object is better than none while the API server does not respond.
        if (known?.object) return known.object;
        throw error;
      }
    },
    retain(podUid: string, namespace: string, names: readonly string[]): void {
      const before = keysOf.get(podUid) ?? [];
      const keys = [...new Set(names)].map((name) => keyText(namespace, name));
      if (keys.length > 0) keysOf.set(podUid, keys);
      else keysOf.delete(podUid);
      for (const key of [...before, ...keys]) cache.delete(key);
    },
  };
}

const keyText = (namespace: string, name: string): string => `${namespace}/${name}`;

function ttlMs(node: Node | undefined): number {
  const text = node?.metadata.annotations?.["node.alpha.kubernetes.io/ttl"];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) * 1000 : usualTtlMs;
}

const usualTtlMs = 60_000;
