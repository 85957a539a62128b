import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podConfigMapNames, podSecretNames } from "../../api/core/v1/pod/pod-references.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import { createInformers, type Informers } from "../../client/informer/informers.ts";
import type { ObjectKey, ResourceKind } from "../../client/resource-kind.ts";
import { hasSynced } from "./has-synced.ts";
import { type ReferenceReader, readerOf } from "./reference-reader.ts";

/** Reads the config maps and secrets of pods from a cache that watches keep up to date. */
export interface WatchedReferences extends ReferenceReader {
  /** Watches what a pod refers to, until it is released. Called again when the pod has changed. */
  retain(pod: Pod): void;
  release(podUid: string): void;
  close(): void;
}

export interface WatchedReferencesOptions {
  /** Calls as the node, which may watch single objects that its pods refer to. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called for each pod whose objects have changed. */
  readonly changed: (podUid: string) => void;
}

/** Watches each config map and secret that pods of this node refer to once, as long as a pod does. */
export function watchReferences(options: WatchedReferencesOptions): WatchedReferences {
  const informers = createInformers({ ...options, name: "kubelet-references" });
  const configMaps = watchedObjects(ConfigMap, informers, options);
  const secrets = watchedObjects(Secret, informers, options);
  return {
    ...readerOf({ configMap: (key) => configMaps.get(key), secret: (key) => secrets.get(key) }),
    retain({ metadata, spec }) {
      const { uid = "", namespace = "" } = metadata;
      configMaps.retain(uid, namespace, podConfigMapNames(spec));
      secrets.retain(uid, namespace, podSecretNames(spec));
    },
    release(podUid) {
      configMaps.retain(podUid, "", []);
      secrets.retain(podUid, "", []);
    },
    close: () => informers.close(),
  };
}

/** The watched objects of a kind. */
interface WatchedObjects<O> {
  get(key: ObjectKey): Promise<O | undefined>;
  /** Sets the objects that a pod refers to. */
  retain(podUid: string, namespace: string, names: readonly string[]): void;
}

interface Watched<O> {
  readonly informer: Informer<O>;
  readonly pods: Set<string>;
  /** An object that can no longer change; its watch has ended. */
  immutable?: O;
}

interface ReferredObject {
  readonly immutable?: boolean | undefined;
}

function watchedObjects<O extends ReferredObject>(
  kind: ResourceKind<O>,
  informers: Informers,
  { client, clock, changed }: WatchedReferencesOptions,
): WatchedObjects<O> {
  const watched = new Map<string, Watched<O>>();
  const keysOf = new Map<string, readonly string[]>();

  const watch = (namespace: string, name: string): Watched<O> => {
    const fieldSelector = { "metadata.name": name };
    const informer = informers.of(kind, { namespace, fieldSelector });
    const entry: Watched<O> = { informer, pods: new Set() };
    const tell = (): void => {
      for (const podUid of entry.pods) changed(podUid);
    };
    const stopIfImmutable = (object: O): void => {
      if (!object.immutable) return;
      entry.immutable = object;
      informer.close();
    };
    informer.addHandler({
      added(object, isInitial) {
        stopIfImmutable(object);
        if (!isInitial) tell();
      },
      updated(object) {
        stopIfImmutable(object);
        tell();
      },
      deleted: tell,
    });
    return entry;
  };

  return {
    async get(key) {
      const entry = watched.get(keyText(key.namespace ?? "", key.name));
      if (entry?.immutable) return entry.immutable;
      if (entry && (await hasSynced(entry.informer, clock))) return entry.informer.get(key);
      return ignoreNotFound(client.get(kind, key));
    },
    retain(podUid, namespace, names) {
      const keys = [...new Set(names)].map((name) => keyText(namespace, name));
      const before = keysOf.get(podUid) ?? [];
      for (const key of before) if (!keys.includes(key)) leave(podUid, key);
      for (const name of names) {
        const key = keyText(namespace, name);
        if (before.includes(key)) continue;
        const entry = watched.get(key) ?? watch(namespace, name);
        watched.set(key, entry);
        entry.pods.add(podUid);
      }
      if (keys.length > 0) keysOf.set(podUid, keys);
      else keysOf.delete(podUid);
    },
  };

  function leave(podUid: string, key: string): void {
    const entry = watched.get(key);
    entry?.pods.delete(podUid);
    if (!entry || entry.pods.size > 0) return;
    entry.informer.close();
    watched.delete(key);
  }
}

const keyText = (namespace: string, name: string): string => `${namespace}/${name}`;
