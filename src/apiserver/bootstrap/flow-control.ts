import { mandatoryPriorityLevels } from "../../api/flowcontrol/v1/mandatory.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import type { Address, Registry } from "../objects/registry.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import {
  type FlowControlDefault,
  flowControlDefaults,
  isFormerDefault,
  revisedFlowControl,
} from "./flow-control-plan.ts";
import { statusManager, withDangling } from "./flow-schema-status.ts";
import type { Keeper } from "./follower.ts";
import { cached, ensure, type Placed, placed } from "./own-work.ts";

const group = "flowcontrol.apiserver.k8s.io";
/** Who owns the specs of default objects. */
const specManager = "api-priority-and-fairness-config-producer-v1";

/** The default objects of flow control, to be created. */
export const flowControlObjects = (registry: Registry): Placed[] =>
  flowControlDefaults().flatMap(({ object }) => placed(registry, object, specManager));

/** The same objects; flow schemas among them say whether their priority level exists. */
export function withFlowSchemaStatus(registry: Registry, objects: readonly Placed[]): Placed[] {
  const levels = new Set(
    objects
      .filter(({ object }) => object.kind === "PriorityLevelConfiguration")
      .map(({ address }) => address.name),
  );
  return objects.map((item) => {
    const { address, object } = item;
    if (address.kind.group !== group || object.kind !== "FlowSchema") return item;
    return { ...item, object: withDangling(registry, address.kind, { object, levels }) ?? object };
  });
}

/** Keeps the default objects, and says of every flow schema whether its priority level exists. */
export function keepFlowControl(registry: Registry): Keeper[] {
  const schemas = registry.resources.find(group, "v1", "flowschemas");
  const levels = registry.resources.find(group, "v1", "prioritylevelconfigurations");
  if (!schemas || !levels) return [];
  return [
    {
      task: "keep flow control",
      queue: "priority_and_fairness_config_queue",
      kinds: [levels, schemas],
      async sync() {
        const defaults = flowControlDefaults();
        for (const item of defaults) await keep(registry, item);
        for (const kind of [schemas, levels]) await removeFormer(registry, kind, defaults);
        await sayDangling(registry, schemas, levels);
      },
    },
  ];
}

async function keep(registry: Registry, wanted: FlowControlDefault): Promise<void> {
  for (const item of placed(registry, wanted.object, specManager)) {
    const { address } = item;
    const current = cached(registry, address);
    if (!current) await ensure(registry, item);
    else if (revisedFlowControl(current, wanted))
      await change(registry, { address, subresource: "", fieldManager: specManager }, (existing) =>
        revisedFlowControl(existing, wanted),
      );
  }
}

async function removeFormer(
  registry: Registry,
  kind: AnyKind,
  defaults: readonly FlowControlDefault[],
): Promise<void> {
  const isDefault = (name: string | undefined) =>
    defaults.some(({ object }) => object.kind === kind.kind && object.metadata.name === name);
  for (const { metadata } of objectsOf(registry, kind).filter(isFormerDefault)) {
    if (isDefault(metadata.name)) continue;
    const address = { kind, namespace: "", name: metadata.name ?? "" };
    await tolerating(
      ["NotFound"],
      deleteObject(registry, address, { options: {}, context: serverContext() }),
    );
  }
}

/** What is mandatory counts as existing even while it does not. */
async function sayDangling(registry: Registry, schemas: AnyKind, levels: AnyKind): Promise<void> {
  const names = new Set([
    ...Object.keys(mandatoryPriorityLevels),
    ...objectsOf(registry, levels).map(({ metadata }) => metadata.name ?? ""),
  ]);
  for (const object of objectsOf(registry, schemas)) {
    const name = object.metadata.name ?? "";
    if (!withDangling(registry, schemas, { object, levels: names })) continue;
    const address = { kind: schemas, namespace: "", name };
    await change(
      registry,
      { address, subresource: "status", fieldManager: statusManager },
      (existing) => withDangling(registry, schemas, { object: existing, levels: names }),
    );
  }
}

function objectsOf(registry: Registry, kind: AnyKind): ApiObject[] {
  const cache = registry.cache.of(kind);
  return Array.from(cache.readable(cache.prefix), ({ object }) => object);
}

/** Changes an object, unless it is gone. */
async function change(
  registry: Registry,
  {
    address,
    subresource,
    fieldManager,
  }: { readonly address: Address; readonly subresource: string; readonly fieldManager: string },
  next: (existing: ApiObject) => ApiObject | undefined,
): Promise<void> {
  const work = update(
    registry,
    {
      address,
      subresource,
      isPatch: true,
      // What is applied says itself who owns it.
      isOwned: subresource === "status",
      change: (existing) =>
        structuredClone((existing && next(existing)) ?? existing) as ObjectDraft,
    },
    serverContext(fieldManager),
  );
  await tolerating(["NotFound"], work);
}
