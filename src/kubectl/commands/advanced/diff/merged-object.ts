import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { jsonText } from "../../../print/json-text.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf, setObject } from "../../../resource/info.ts";
import { requestedObject } from "../../../resource/requested-object.ts";
import { klog } from "../../shared/klog.ts";
import { withoutSavedConfiguration } from "../../shared/saved-configuration.ts";
import { patchObject } from "../apply/patch-object.ts";

export interface MergeOptions {
  readonly context: Pick<CommandContext, "factory" | "io" | "signal">;
  readonly isServerSide: boolean;
  readonly forceConflicts: boolean;
  readonly fieldManager: string;
}

/** An object as it is on the server, and as it would be after an apply. */
export interface ObjectVersions {
  readonly live: DynamicObject | undefined;
  readonly merged: DynamicObject;
}

const maxAttempts = 4;

/** Requests an object, and what an apply would make of it; again if it changes in between. */
export async function objectVersions(info: Info, options: MergeOptions): Promise<ObjectVersions> {
  const { context } = options;
  const local = info.object as DynamicObject;
  const kind = kindOf(info);
  for (let attempt = 1; ; attempt++) {
    const live = await liveObject(info, options);
    const isLast = attempt === maxAttempts;
    if (isLast)
      klog(
        context,
        "W",
        `Object (${kind.group}/${kind.version}, Kind=${kind.kind}: ${info.name}) keeps changing, diffing without lock`,
        "diff.go:723",
      );
    try {
      return { live, merged: await mergedObject(info, { ...options, local, live, isLast }) };
    } catch (error) {
      if (isLast || !StatusError.is(error, "Conflict")) throw error;
    }
  }
}

async function liveObject(
  info: Info,
  { context: { factory, signal } }: MergeOptions,
): Promise<DynamicObject | undefined> {
  try {
    const live = await requestedObject(await factory.client(), info, {
      signal,
      onWarning: (text) => factory.warn(text),
    });
    setObject(info, live);
    return live;
  } catch (error) {
    if (!StatusError.is(error, "NotFound")) throw error;
    info.object = undefined;
    return undefined;
  }
}

async function mergedObject(
  info: Info,
  {
    context,
    isServerSide,
    forceConflicts,
    fieldManager,
    local,
    live,
    isLast,
  }: MergeOptions & {
    readonly local: DynamicObject;
    readonly live: DynamicObject | undefined;
    readonly isLast: boolean;
  },
): Promise<DynamicObject> {
  const { factory, signal } = context;
  const requests = helper(await factory.client(), kindOf(info), {
    isDryRun: true,
    fieldManager,
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const { namespace, name } = info;
  if (isServerSide) {
    const body = `${jsonText(local)}\n`;
    return requests.patch({ namespace, name }, { type: "apply", body, force: forceConflicts });
  }
  if (!live) return requests.create(namespace, local);
  const { object } = await patchObject(info, withoutSavedConfiguration(local), {
    context,
    requests,
    isLocal: false,
    overwrite: true,
    usesOpenapi: true,
    force: false,
    propagation: "Background",
    gracePeriod: -1,
    timeoutMs: 0,
    ...(!isLast && { resourceVersion: live.metadata.resourceVersion }),
  });
  return object;
}
