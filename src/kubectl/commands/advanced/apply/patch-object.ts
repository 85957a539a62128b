import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { sleep } from "../../../../base/clock.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { jsonText } from "../../../print/json-text.ts";
import { withSource } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import type { Helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { deletionOptions, type Propagation } from "../../shared/deletion-flags.ts";
import { type PatchContext, patchedLocally, threeWayPatch } from "./three-way-patch.ts";

/** How an object is patched that exists already. */
export interface PatchOptions {
  readonly context: Pick<CommandContext, "factory" | "io" | "signal">;
  readonly requests: Helper;
  /** Whether the patch is only made and applied here. */
  readonly isLocal: boolean;
  readonly overwrite: boolean;
  /** The version that the object must still have. */
  readonly resourceVersion?: string | undefined;
  readonly usesOpenapi: boolean;
  /** Whether an object is deleted and created again where a patch is refused. */
  readonly force: boolean;
  readonly propagation: Propagation;
  readonly gracePeriod: number;
  readonly timeoutMs: number;
}

export interface PatchedObject {
  readonly object: DynamicObject;
  /** Whether there was nothing to change. */
  readonly isUnchanged: boolean;
}

const maxRetries = 5;
const retryMs = 1000;

/** Brings an object to the configuration `modified`; conflicts are retried with the object of the server. */
export async function patchObject(
  info: Info,
  modified: DynamicObject,
  options: PatchOptions,
): Promise<PatchedObject> {
  let sent = "";
  const { context, requests } = options;
  const patchOnce = async (current: DynamicObject): Promise<PatchedObject> => {
    sent = "";
    const patch = await threeWayPatch(modified, current, patchContext(info, options));
    sent = jsonText(patch.body);
    if (sent === "{}") return { object: current, isUnchanged: true };
    sent = jsonText(withVersion(patch.body, options.resourceVersion));
    const object = options.isLocal
      ? await patchedLocally(patch, current, kindOf(info))
      : await requests.patch(info, { type: patch.type, body: sent });
    return { object, isUnchanged: false };
  };
  const { clock } = context.factory;
  try {
    let current = info.object as DynamicObject;
    for (let retry = 0; ; retry++) {
      try {
        return await patchOnce(current);
      } catch (error) {
        if (options.isLocal) throw error;
        if (!StatusError.is(error, "Conflict") || retry === maxRetries) {
          if (options.force && StatusError.is(error, "Conflict", "Invalid"))
            return await replaceObject(info, { current, modified }, options);
          throw withSource("patching", info.source, error as Error);
        }
        if (retry > 0) await sleep(clock, retryMs, context.signal);
        current = await requests.get(info);
      }
    }
  } catch (error) {
    const target = info.object && describe(info);
    throw withSource(`applying patch:\n${sent}\nto:\n${target}\nfor:`, info.source, error as Error);
  }
}

function withVersion(body: ReadonlyJsonMap, version: string | undefined): ReadonlyJsonMap {
  if (version === undefined) return body;
  const metadata = isMap(body.metadata) ? body.metadata : {};
  return { ...body, metadata: { ...metadata, resourceVersion: version } };
}

function patchContext(info: Info, { context, overwrite, usesOpenapi }: PatchOptions): PatchContext {
  const { factory, io } = context;
  const warn = (text: string): void => io.stderr.write(text);
  return { factory, kind: kindOf(info), overwrite, usesOpenapi, warn };
}

/** Deletes an object and creates it anew; if that fails, creates it as it was. */
async function replaceObject(
  info: Info,
  { current, modified }: { readonly current: DynamicObject; readonly modified: DynamicObject },
  { context, requests, gracePeriod, propagation, timeoutMs }: PatchOptions,
): Promise<PatchedObject> {
  const place = { namespace: info.namespace, name: info.name };
  const { clock } = context.factory;
  await requests.delete(place, deletionOptions(gracePeriod, propagation));
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const found = await requests.get(place).catch((error: Error) => error);
    if (StatusError.is(found, "NotFound")) break;
    if (found instanceof Error) throw found;
    if (clock.now() >= deadline) throw new Error("context deadline exceeded");
    await sleep(clock, retryMs, context.signal);
  }
  try {
    return { object: await requests.create(place.namespace, modified), isUnchanged: false };
  } catch (error) {
    await requests.create(place.namespace, current).catch((again: Error) => {
      throw new Error(
        `An error occurred force-replacing the existing object with the newly provided one:\n\n${(error as Error).message}.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n${again.message}`,
      );
    });
    throw error;
  }
}

/** An object as messages about patches describe it. */
export function describe(info: Info): string {
  const { name, namespace } = info;
  const { group, version, kind, plural } = kindOf(info);
  const at = `${group}/${version}`;
  return `Resource: "${at}, Resource=${plural}", GroupVersionKind: "${at}, Kind=${kind}"\nName: ${JSON.stringify(name)}, Namespace: ${JSON.stringify(namespace)}`;
}
