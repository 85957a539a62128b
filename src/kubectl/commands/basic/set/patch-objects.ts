import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { createTwoWayMergePatch } from "../../../../schema/strategic-merge/create-merge-patch.ts";
import { ErrorList } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { InfosError, type Result } from "../../../resource/result.ts";
import { typedObject, typedShape } from "../../../resource/typed-object.ts";
import type { DryRun } from "../../shared/dry-run.ts";
import { objectPrinter } from "../../shared/object-output.ts";

/** How a command changes objects. */
export interface ObjectChange {
  /** What was done, in the past tense. */
  readonly operation: string;
  readonly dryRun: DryRun;
  /** The message of an error of the server, without its own message. */
  readonly failure: string;
  /** Whether a patch is sent, and the object printed, also where nothing changes. */
  readonly sendsUnchanged?: boolean;
  /** Errors of all objects, which are printed at the end; `change` may add some. */
  readonly errors: Error[];
  /** The object after the change; undefined to leave it alone. Throws if it cannot be changed. */
  change(object: DynamicObject): DynamicObject | undefined | Promise<DynamicObject | undefined>;
  /** Throws where an object that the server has changed is not printed, which ends the command. */
  checkPatched?(): void;
}

type ChangeContext = Pick<
  CommandContext,
  "flags" | "given" | "io" | "env" | "cwd" | "factory" | "signal"
>;

/** All objects of a result; throws if one of them was not found. */
export async function allInfos(found: Result): Promise<readonly Info[]> {
  try {
    return await found.infos();
  } catch (error) {
    throw error instanceof InfosError ? error.reason : error;
  }
}

interface PlannedPatch {
  readonly info: Info;
  readonly object: DynamicObject;
  readonly patch: object;
}

/** Changes objects, first all of them here, then each by a patch; prints what was done. */
export async function patchObjects(
  context: ChangeContext,
  infos: readonly Info[],
  change: ObjectChange,
): Promise<undefined> {
  const { errors, operation, dryRun } = change;
  const plans: (PlannedPatch | Error)[] = [];
  for (const info of infos) {
    const plan = await plannedPatch(info, change).catch(
      (error: Error) =>
        new Error(`error: ${objectName(info)} ${error.message}\n`, { cause: error }),
    );
    if (plan) plans.push(plan);
  }
  const print = objectPrinter(context, { operation, dryRun, keepsOrder: true });
  for (const plan of plans) {
    if (plan instanceof Error) {
      errors.push(plan);
      continue;
    }
    if (Object.keys(plan.patch).length === 0 && !change.sendsUnchanged) continue;
    const result = await patched(context, plan, change).catch((error: Error) => error);
    if (result instanceof Error) {
      errors.push(new Error(`${change.failure}${result.message}`, { cause: result }));
      continue;
    }
    if (result !== plan.object) change.checkPatched?.();
    print(result);
  }
  if (errors.length > 0) throw new ErrorList(errors);
  return undefined;
}

async function plannedPatch(
  info: Info,
  { change }: ObjectChange,
): Promise<PlannedPatch | undefined> {
  const before = info.object;
  const changed = before && (await change(before));
  if (!before || !changed) return undefined;
  const object = await typedObject(changed);
  const patch = createTwoWayMergePatch(await typedShape(object), before, object);
  return { info, object, patch };
}

async function patched(
  context: ChangeContext,
  { info, object, patch }: PlannedPatch,
  { dryRun }: ObjectChange,
): Promise<DynamicObject> {
  const flags = context.flags as { readonly local: boolean; readonly "field-manager": string };
  if (flags.local || dryRun === "client") return object;
  const { factory, signal } = context;
  const requests = helper(await factory.client(), kindOf(info), {
    isDryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
    signal,
    onWarning: (text) => factory.warn(text),
  });
  return requests.patch(info, { type: "strategic", body: patch });
}

/** How errors name an object: by its resource, or by its kind where no server was asked. */
function objectName({ kind, name, object }: Info): string {
  if (kind) return `${kind.plural}/${name}`;
  const [group = ""] = object?.apiVersion.includes("/") ? object.apiVersion.split("/") : [];
  const type = (object?.kind ?? "").toLowerCase();
  return group === "" ? `${type}/${name}` : `${type}.${group}/${name}\n`;
}
