import { mandatoryPriorityLevels } from "../../api/flowcontrol/v1/mandatory.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
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
export const flowControlObjects = (parts: VerbParts): Placed[] =>
  flowControlDefaults().flatMap(({ object }) => placed(parts, object, specManager));

/** The same objects; flow schemas among them say whether their priority level exists. */
export function withFlowSchemaStatus(parts: VerbParts, objects: readonly Placed[]): Placed[] {
  const levels = new Set(
    objects
      .filter(({ object }) => object.kind === "PriorityLevelConfiguration")
      .map(({ address }) => address.name),
  );
  return objects.map((item) => {
    const { address, object } = item;
    if (address.kind.group !== group || object.kind !== "FlowSchema") return item;
    return { ...item, object: withDangling(parts, address.kind, { object, levels }) ?? object };
  });
}

/** Keeps the default objects, and says of every flow schema whether its priority level exists. */
export function keepFlowControl(parts: VerbParts): Keeper[] {
  const schemas = parts.resources.find(group, "v1", "flowschemas");
  const levels = parts.resources.find(group, "v1", "prioritylevelconfigurations");
  if (!schemas || !levels) return [];
  return [
    {
      task: "keep flow control",
      queue: "priority_and_fairness_config_queue",
      kinds: [levels, schemas],
      async sync() {
        const defaults = flowControlDefaults();
        for (const item of defaults) await keep(parts, item);
        for (const kind of [schemas, levels]) await removeFormer(parts, kind, defaults);
        await sayDangling(parts, schemas, levels);
      },
    },
  ];
}

async function keep(parts: VerbParts, wanted: FlowControlDefault): Promise<void> {
  for (const item of placed(parts, wanted.object, specManager)) {
    const { address } = item;
    const current = cached(parts, address);
    if (!current) await ensure(parts, item);
    else if (revisedFlowControl(current, wanted))
      await change(parts, { address, subresource: "", fieldManager: specManager }, (existing) =>
        revisedFlowControl(existing, wanted),
      );
  }
}

async function removeFormer(
  parts: VerbParts,
  kind: AnyKind,
  defaults: readonly FlowControlDefault[],
): Promise<void> {
  const isDefault = (name: string | undefined) =>
    defaults.some(({ object }) => object.kind === kind.kind && object.metadata.name === name);
  for (const { metadata } of objectsOf(parts, kind).filter(isFormerDefault)) {
    if (isDefault(metadata.name)) continue;
    const address = { kind, namespace: "", name: metadata.name ?? "" };
    await tolerating(
      ["NotFound"],
      deleteObject(parts, address, { options: {}, context: serverContext() }),
    );
  }
}

/** What is mandatory counts as existing even while it does not. */
async function sayDangling(parts: VerbParts, schemas: AnyKind, levels: AnyKind): Promise<void> {
  const names = new Set([
    ...Object.keys(mandatoryPriorityLevels),
    ...objectsOf(parts, levels).map(({ metadata }) => metadata.name ?? ""),
  ]);
  for (const object of objectsOf(parts, schemas)) {
    const name = object.metadata.name ?? "";
    if (!withDangling(parts, schemas, { object, levels: names })) continue;
    const address = { kind: schemas, namespace: "", name };
    await change(
      parts,
      { address, subresource: "status", fieldManager: statusManager },
      (existing) => withDangling(parts, schemas, { object: existing, levels: names }),
    );
  }
}

function objectsOf(parts: VerbParts, kind: AnyKind): ApiObject[] {
  const cache = parts.reader.cache.of(kind);
  return Array.from(cache.readable(cache.prefix), ({ object }) => object);
}

/** Changes an object, unless it is gone. */
async function change(
  parts: VerbParts,
  {
    address,
    subresource,
    fieldManager,
  }: { readonly address: Address; readonly subresource: string; readonly fieldManager: string },
  next: (existing: ApiObject) => ApiObject | undefined,
): Promise<void> {
  const work = update(
    parts,
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
