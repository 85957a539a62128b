import { formatMicroTime, timeFromMillis } from "../../schema/values/time.ts";
import type { ReconcileTrace, TraceWrite } from "./trace.ts";

/**
 * A trace for people, a few lines for each reconcile:
 *
 * ```
 * #2 web default/a at 00:00:01.250, 12 ms: success
 *   because replicasets.apps default/a-1 was updated to 105, as #1 wrote it
 *   wrote patch/status deployments.apps default/a: 107
 * ```
 */
export function traceText(traces: readonly ReconcileTrace[]): string {
  return traces.map(reconcileText).join("");
}

function reconcileText(trace: ReconcileTrace): string {
  const { id, controller, key, attempt, startedAt, endedAt, result, error } = trace;
  const time = formatMicroTime(timeFromMillis(startedAt)).slice(11, 23);
  const how = endedAt === undefined ? "under way" : `${endedAt - startedAt} ms: ${result}`;
  const lines = [
    `#${id} ${controller} ${key} at ${time}, ${how}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
    ...trace.causes.map((cause) => `  because ${causeText(cause)}`),
    ...(trace.moreCauses > 0 ? [`  and for ${trace.moreCauses} more reasons`] : []),
    ...trace.writes.map((write) => `  wrote ${writeText(write)}`),
    ...(trace.moreWrites > 0 ? [`  and wrote ${trace.moreWrites} times more`] : []),
    ...(error === undefined ? [] : [`  failed: ${error}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function causeText({ type, object, writtenBy }: ReconcileTrace["causes"][number]): string {
  if (!object) return type === "retry" ? "it failed before" : "it asked to be called again";
  const what = `${resourceText(object)} ${object.key}`;
  const by = writtenBy === undefined ? "" : `, as #${writtenBy} wrote it`;
  if (type === "resync") return `${what} is looked at again`;
  return type === "updated"
    ? `${what} was updated to ${object.resourceVersion}${by}`
    : `${what} was ${type} at ${object.resourceVersion}${by}`;
}

function writeText(write: TraceWrite): string {
  const { verb, key, resourceVersion, isUnknown } = write;
  const outcome = isUnknown ? ": not known whether" : resourceVersion ? `: ${resourceVersion}` : "";
  return `${verb} ${resourceText(write)} ${key}${outcome}`;
}

const resourceText = ({ group, plural }: { readonly group: string; readonly plural: string }) =>
  group === "" ? plural : `${plural}.${group}`;
