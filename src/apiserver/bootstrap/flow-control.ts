import { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import { mandatoryPriorityLevels } from "../../api/flowcontrol/v1/mandatory.ts";
import { PriorityLevelConfiguration } from "../../api/flowcontrol/v1/priority-level-configuration.ts";
import { now } from "../objects/environment.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { anyKind } from "../objects/reader.ts";
import type { FieldTracking } from "../verbs/patch/field-management.ts";
import { forceApply } from "../verbs/patch/force-apply.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { FirstObject } from "./first-object.ts";
import {
  type FlowControlDefault,
  flowControlDefaults,
  isFormerDefault,
  revisedFlowControl,
} from "./flow-control-plan.ts";
import { danglingCondition, statusManager } from "./flow-schema-status.ts";
import type { Reconciler } from "./reconcile-loop.ts";

/** The field manager of the specs of default objects. */
const specManager = "api-priority-and-fairness-config-producer-v1";

/** The default objects of flow control, for a new cluster. */
export const flowControlObjects = (): FirstObject[] =>
  flowControlDefaults().map(({ object }) => ({ object, fieldManager: specManager }));

/** The same objects, with the condition Dangling in all flow schemas among them. */
export function withFlowSchemaStatus(
  tracking: FieldTracking,
  objects: readonly ApiObject[],
): ApiObject[] {
  const levels = new Set(
    objects
      .filter(({ kind }) => kind === "PriorityLevelConfiguration")
      .map(({ metadata }) => metadata.name ?? ""),
  );
  const target = { kind: anyKind(FlowSchema), subresource: "status" };
  return objects.map((object) => {
    const config = object.kind === "FlowSchema" && statusOf(tracking, object as FlowSchema, levels);
    if (!config) return object;
    return forceApply(tracking, target, { object, config, fieldManager: statusManager });
  });
}

/** Reconciles the default objects, and the condition Dangling of every flow schema. */
export function flowControlReconciler(parts: OwnParts): Reconciler[] {
  const { reader } = parts;
  if (!reader.serves(FlowSchema) || !reader.serves(PriorityLevelConfiguration)) return [];
  return [
    {
      task: "flow control",
      queue: "priority_and_fairness_config_queue",
      kinds: [PriorityLevelConfiguration, FlowSchema],
      async reconcile() {
        const defaults = flowControlDefaults();
        for (const item of defaults) await reconcileDefault(parts, item);
        for (const kind of [FlowSchema, PriorityLevelConfiguration])
          await removeFormer(parts, anyKind(kind), defaults);
        await setDangling(parts);
      },
    },
  ];
}

async function reconcileDefault(
  { reader, writer }: OwnParts,
  wanted: FlowControlDefault,
): Promise<void> {
  const { object } = wanted;
  const kind = anyKind(object.kind === "FlowSchema" ? FlowSchema : PriorityLevelConfiguration);
  const options = { fieldManager: specManager };
  const key = { name: object.metadata.name ?? "" };
  const current = reader.getCached(kind, key);
  if (!current) await writer.ensure(kind, object, options);
  else if (revisedFlowControl(current, wanted))
    await writer.update(kind, key, (existing) => revisedFlowControl(existing, wanted), options);
}

async function removeFormer(
  { reader, writer }: OwnParts,
  kind: AnyKind,
  defaults: readonly FlowControlDefault[],
): Promise<void> {
  const isDefault = (name: string | undefined) =>
    defaults.some(({ object }) => object.kind === kind.kind && object.metadata.name === name);
  for (const { metadata } of reader.listReadable(kind).filter(isFormerDefault))
    if (!isDefault(metadata.name)) await writer.delete(kind, { name: metadata.name ?? "" });
}

/** Mandatory priority levels count as existing even while they do not. */
async function setDangling({ reader, writer, environment }: OwnParts): Promise<void> {
  const levels = new Set([
    ...Object.keys(mandatoryPriorityLevels),
    ...reader.listReadable(PriorityLevelConfiguration).map(({ metadata }) => metadata.name ?? ""),
  ]);
  for (const schema of reader.listReadable(FlowSchema))
    if (danglingCondition(schema, levels))
      await writer.apply(
        FlowSchema,
        { name: schema.metadata.name ?? "" },
        (existing) => statusOf({ environment }, existing, levels),
        { subresource: "status", fieldManager: statusManager },
      );
}

/** The status to apply to a flow schema; undefined if it needs none. */
function statusOf(
  { environment }: Pick<FieldTracking, "environment">,
  schema: FlowSchema,
  levels: ReadonlySet<string>,
): object | undefined {
  const condition = danglingCondition(schema, levels);
  return (
    condition && {
      status: { conditions: [{ ...condition, lastTransitionTime: now(environment) }] },
    }
  );
}
