import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { quote } from "../../../schema/values/quote.ts";
import { withSource } from "../../program/command-error.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { helper } from "../../resource/helper.ts";
import { type Info, isNamespaced, kindOf } from "../../resource/info.ts";
import type { Result } from "../../resource/result.ts";
import { deletionOptions, type Propagation } from "./deletion-flags.ts";
import type { DryRun } from "./dry-run.ts";
import { klog } from "./klog.ts";
import { dryRunSuffix } from "./object-output.ts";
import { printWarning } from "./print-warning.ts";
import { untilDeleted } from "./until-deleted.ts";

/** How objects are deleted. */
export interface Deletion {
  /** In seconds; that of each object if it is less than zero. */
  readonly gracePeriod: number;
  readonly propagation: Propagation;
  readonly dryRun?: DryRun;
  readonly ignoresNotFound?: boolean;
  /** Nothing is printed. */
  readonly isQuiet?: boolean;
  /** Whether a namespace was named, which objects without one do not heed. */
  readonly warnsOfClusterScope?: boolean;
  /** `name`, or empty for a sentence. */
  readonly output?: string;
  readonly waits?: boolean;
  /** How long to wait; zero stands for a week. */
  readonly timeoutMs?: number;
  /** Whether requests say what they are, as those of the original's clients with Go types. */
  readonly isTyped?: boolean;
  /** Whether an object may be deleted; all if not given. */
  isChosen?(info: Info): boolean;
}

type DeletionContext = Pick<CommandContext, "factory" | "io" | "signal">;

/** Deletes the objects of a result, and waits until they are gone. */
export async function deleteObjects(
  context: DeletionContext,
  found: Result,
  deletion: Deletion,
): Promise<void> {
  const { io } = context;
  const { dryRun = "none", isQuiet } = deletion;
  if (deletion.ignoresNotFound) found.ignoreErrors((error) => StatusError.is(error, "NotFound"));
  let warns = deletion.warnsOfClusterScope ?? false;
  const deleted: Info[] = [];
  const uids = new Map<Info, string>();
  await found.visit(async (info, error) => {
    if (error) throw error;
    if (deletion.isChosen && !deletion.isChosen(info)) return;
    deleted.push(info);
    if (warns && !isNamespaced(info)) {
      printWarning(io, "deleting cluster-scoped resources, not scoped to the provided namespace");
      warns = false;
    }
    if (dryRun !== "client") {
      const uid = uidOf(await requestDeletion(context, info, deletion));
      if (uid !== undefined) uids.set(info, uid);
    }
    if (!isQuiet) io.stdout.write(`${deletionText(info, deletion)}\n`);
  });
  if (deleted.length === 0) io.stdout.write("No resources found\n");
  else if (deletion.waits && dryRun === "none") await waitForAll(context, deleted, uids, deletion);
}

async function requestDeletion(
  { factory, signal }: DeletionContext,
  info: Info,
  { gracePeriod, propagation, dryRun, isTyped }: Deletion,
): Promise<DynamicObject> {
  const requests = helper(await factory.client(), kindOf(info), {
    isDryRun: dryRun === "server",
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const options = {
    ...(isTyped && { kind: "DeleteOptions", apiVersion: "v1" }),
    ...deletionOptions(gracePeriod, propagation),
  };
  return requests.delete(info, options).catch((cause: Error) => {
    throw withSource("deleting", info.source, cause);
  });
}

/** The UID of what was deleted: that of the object, or the one that a Status names. */
function uidOf({ kind, metadata, ...members }: DynamicObject): string | undefined {
  const { details } = members as { readonly details?: { readonly uid?: string } };
  return kind === "Status" ? details?.uid : metadata?.uid;
}

function deletionText(info: Info, { gracePeriod, dryRun = "none", output }: Deletion): string {
  const type = typeOf(info);
  if (output === "name") return `${type}/${info.name}`;
  const operation = gracePeriod === 0 ? "force deleted" : "deleted";
  const place = isNamespaced(info) ? ` from ${info.namespace} namespace` : "";
  return `${type} ${quote(info.name)} ${operation}${place}${dryRunSuffix[dryRun]}`;
}

/** The kind of an object with its group, as it is printed: `pod`, `deployment.apps`. */
export function typeOf(info: Info): string {
  const { kind, group } = kindOf(info);
  return group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

async function waitForAll(
  context: DeletionContext,
  infos: readonly Info[],
  uids: ReadonlyMap<Info, string>,
  { timeoutMs = 0 }: Deletion,
): Promise<void> {
  const ms = timeoutMs === 0 ? weekMs : timeoutMs;
  if (ms < 0) klog(context, "E", '"Timeout for context shall not be negative"', "until.go:159");
  const deadline = ms < 0 ? undefined : context.factory.clock.now() + ms;
  try {
    for (const info of infos)
      await untilDeleted(context, info, { timeoutMs: ms, deadline, uid: uids.get(info) });
  } catch (error) {
    // Who may delete objects may not be allowed to see how they go.
    if (!StatusError.is(error, "Forbidden", "MethodNotAllowed")) throw error;
  }
}

const weekMs = 168 * 3_600_000;
