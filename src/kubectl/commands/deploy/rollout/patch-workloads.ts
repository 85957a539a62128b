import type { Values } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { ErrorList } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf, resourceName, setObject } from "../../../resource/info.ts";
import { InfosError, type Result } from "../../../resource/result.ts";
import { fieldManagerFlags } from "../../shared/field-manager.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { rolloutQuery, rolloutTargetFlags } from "./rollout-query.ts";

/** The flags of commands that change workloads. */
export const patchFlags = {
  ...outputFlags,
  ...rolloutTargetFlags,
  ...fieldManagerFlags("kubectl-rollout"),
};

export interface WorkloadPatch {
  /** What was done, in the past tense. */
  readonly operation: string;
  /** The patch for an object; throws if it cannot be patched. */
  patchOf(object: DynamicObject): object;
}

/** Patches all objects that the command names, and prints what was done; errors come at the end. */
export async function patchWorkloads(
  context: CommandContext<typeof patchFlags>,
  { operation, patchOf }: WorkloadPatch,
): Promise<undefined> {
  const { args, io, factory } = context;
  const flags = context.flags as Values<typeof patchFlags>;
  const found = await findResources(context, rolloutQuery(flags, args));
  const { infos, errors } = await foundInfos(found);
  if (infos.length === 0 && errors.length === 0) {
    const { namespace } = await factory.namespace();
    io.stderr.write(`No resources found in ${namespace} namespace.\n`);
    return undefined;
  }
  const print = objectPrinter(context, { operation, keepsOrder: true });
  for (const info of infos) {
    try {
      await patchOne(context, info, patchOf);
      if (info.object) print(info.object);
    } catch (error) {
      errors.push(error as Error);
    }
  }
  if (errors.length > 0) throw new ErrorList(errors);
  return undefined;
}

async function patchOne(
  { factory, flags, signal }: CommandContext<typeof patchFlags>,
  info: Info,
  patchOf: WorkloadPatch["patchOf"],
): Promise<void> {
  if (!info.object) return;
  const kind = kindOf(info);
  let patch: object;
  try {
    patch = patchOf(info.object);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`error: ${resourceName(kind)} ${quote(info.name)} ${why}`, { cause: error });
  }
  if (Object.keys(patch).length === 0)
    throw new Error(
      `failed to create patch for ${info.name}: if restart has already been triggered within the past second, please wait before attempting to trigger another`,
    );
  const requests = helper(await factory.client(), kind, {
    fieldManager: flags["field-manager"],
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const patched = await requests
    .patch(info, { type: "strategic", body: patch })
    .catch((error: Error) => {
      throw new Error(`failed to patch: ${error.message}`, { cause: error });
    });
  setObject(info, patched);
}

/** The objects that were found, and the errors of those that were not. */
async function foundInfos(
  found: Result,
): Promise<{ readonly infos: readonly Info[]; readonly errors: Error[] }> {
  try {
    return { infos: await found.infos(), errors: [] };
  } catch (error) {
    if (error instanceof InfosError) return { infos: error.infos, errors: [error.reason] };
    return { infos: [], errors: [error as Error] };
  }
}
