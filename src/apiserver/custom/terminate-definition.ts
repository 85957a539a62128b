import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { CustomResourceDefinitionStatus } from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import {
  cleanupFinalizer,
  type DefinitionCondition,
  isConditionTrue,
  setCondition,
} from "../../api/apiextensions/v1/definition-conditions.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Draft } from "../../schema/language/struct.ts";
import { now } from "../objects/environment.ts";
import type { AnyKind } from "../objects/object.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";

/** What the deletion of a definition needs. */
export interface Ending {
  /** The kind that its objects are stored as; undefined where none is served. */
  readonly kind: AnyKind | undefined;
  /** Whether its objects would be those of a declared kind. */
  readonly isTaken: boolean;
  write(change: (definition: CustomResourceDefinition) => CustomResourceDefinition): Promise<void>;
  /** Enqueues the definition again. */
  again(): void;
}

/** Deletes the objects of a definition that is being deleted, then removes its finalizer. */
export async function terminate(
  parts: OwnParts,
  { status }: CustomResourceDefinition,
  ending: Ending,
): Promise<void> {
  const { isTaken, write } = ending;
  const isEstablished = isConditionTrue(status, "Established");
  if (!isTaken && isEstablished && !(await isEmptied(parts, ending))) return;
  const done = isTaken ? overlapping : isEstablished ? completed : neverEstablished;
  await write((definition) => released(withTerminating(definition, done, now(parts.environment))));
}

/** Deletes all objects; false while some of them have finalizers. */
async function isEmptied(parts: OwnParts, ending: Ending): Promise<boolean> {
  const { kind } = ending;
  await setTerminating(parts, ending, inProgress);
  const faults = kind ? await deleteAll(parts, kind) : ["they cannot be served"];
  if (!kind || faults.length > 0) {
    const all = faults.length === 1 ? faults[0] : `[${faults.join(", ")}]`;
    const message = `could not issue all deletes: ${all}`;
    const failed = { ...inProgress, reason: "InstanceDeletionFailed", message };
    await setTerminating(parts, ending, failed);
    throw new Error(message);
  }
  const cache = parts.reader.cache.of(kind);
  if (cache.size > 0) whenEmpty(cache, ending);
  return cache.size === 0;
}

/** Objects that are being deleted already. */
const awaited = new WeakSet<ResourceCache>();

/** Waits for objects with finalizers: their removal is a change that enqueues the definition. */
function whenEmpty(cache: ResourceCache, { again }: Ending): void {
  if (awaited.has(cache)) return;
  awaited.add(cache);
  const stop = () => {
    cache.watchers.delete(watcher);
    awaited.delete(cache);
  };
  const watcher: CacheWatcher = {
    changed() {
      if (cache.size > 0) return;
      stop();
      again();
    },
    end: stop,
  };
  cache.watchers.add(watcher);
}

const type = "Terminating";
const inProgress: DefinitionCondition = {
  type,
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};
const completed: DefinitionCondition = {
  type,
  status: "False",
  reason: "InstanceDeletionCompleted",
  message: "removed all instances",
};
const neverEstablished: DefinitionCondition = {
  type,
  status: "False",
  reason: "NeverEstablished",
  message: "resource was never established",
};
const overlapping: DefinitionCondition = {
  type,
  status: "False",
  reason: "OverlappingBuiltInResource",
  message: "instances overlap with built-in resources in storage",
};

const setTerminating = (
  parts: OwnParts,
  { write }: Ending,
  condition: DefinitionCondition,
): Promise<void> =>
  write((definition) => withTerminating(definition, condition, now(parts.environment)));

function withTerminating(
  definition: CustomResourceDefinition,
  condition: DefinitionCondition,
  time: string,
): CustomResourceDefinition {
  const status = structuredClone(definition.status) as Draft<CustomResourceDefinitionStatus>;
  setCondition(status, condition, time);
  return { ...definition, status: status as CustomResourceDefinitionStatus };
}

const released = (definition: CustomResourceDefinition): CustomResourceDefinition => ({
  ...definition,
  metadata: {
    ...definition.metadata,
    finalizers: definition.metadata.finalizers?.filter((name) => name !== cleanupFinalizer),
  },
});

/** Deletes all objects of a kind, and returns the messages of errors. */
async function deleteAll({ reader, writer }: OwnParts, kind: AnyKind): Promise<readonly string[]> {
  const cache = reader.cache.of(kind);
  const faults = new Set<string>();
  for (const { object } of [...cache.list(cache.prefix)]) {
    const { name = "", namespace = "" } = object.metadata;
    try {
      await writer.delete(kind, { namespace, name });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      faults.add(error.message);
    }
  }
  return [...faults];
}
