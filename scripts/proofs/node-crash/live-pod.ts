import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Pod } from "../../../src/api/core/v1/pod/pod.ts";
import { StatusError } from "../../../src/api/meta/v1/status-error.ts";
import type { Random } from "../../../src/base/random.ts";
import { ignoreNotFound } from "../../../src/client/ignore-not-found.ts";
import { below } from "../engine-crash-pod.ts";
import type { CrashCluster } from "./crash-cluster.ts";
import type { CrashPod } from "./crash-pods.ts";
import { journalProblems, readJournal } from "./journal.ts";
import type { PodHistory } from "./pod-history.ts";

/** What was found in the lives of pods. */
export interface NodeCrashTally {
  finished: number;
  /** Containers whose start was interrupted, so that a restart was counted although they never ran. */
  interrupted: number;
}

export interface CrashWorld {
  readonly cluster: CrashCluster;
  readonly history: PodHistory;
  readonly random: Random;
  readonly tally: NodeCrashTally;
}

const namespace = "default";

/**
 * Takes a pod through its life on a node whose agent, or whose API server, is killed at any time. Rejects if
 * anything is not as it should be.
 */
export async function livePod(pod: CrashPod, world: CrashWorld): Promise<void> {
  const { random } = world;
  const uid = await createPod(pod, world);
  const grace = [undefined, 0, 1, 3][below(4, random)];
  const strict = await untilDeletable(pod, world);
  await deletePod(pod, { uid, grace: strict || !pod.isHasty ? grace : undefined }, world);
  checkJournal(pod, { uid, isStopped: strict && pod.end === undefined, grace }, world);
  world.tally.finished++;
}

/** Creates a pod; resolves with its UID. */
export async function createPod(
  { name, spec, isHeld }: CrashPod,
  { cluster }: Pick<CrashWorld, "cluster">,
): Promise<string> {
  const { client } = cluster.connection;
  const metadata = { name, namespace, ...(isHeld && { finalizers: [finalizer] }) };
  const pod = await repeated(name, async () => {
    const found = await ignoreNotFound(client.get(Pod, { namespace, name }));
    return found ?? client.create(Pod, { metadata, spec } as never);
  });
  return pod.metadata.uid ?? "";
}

const finalizer = "crash.test/hold";

/** Waits until a pod has ended, or may be deleted; resolves with whether it came that far. */
async function untilDeletable(pod: CrashPod, world: CrashWorld): Promise<boolean> {
  const { name, end, restarts = 0, isHasty } = pod;
  const { history, random } = world;
  if (isHasty) {
    await wait(below(4000, random));
    return false;
  }
  if (end) {
    const ended = await until(`${name} has ended`, history, name, ({ status }) =>
      ["Succeeded", "Failed"].includes(status.phase ?? ""),
    );
    checkEnd(pod, ended, world);
    return true;
  }
  await until(`${name} is ready`, history, name, isReady);
  if (restarts > 0)
    await until(
      `${name} is restarted`,
      history,
      name,
      ({ metadata }) => history.restarts(metadata.uid ?? "", "main") >= restarts,
    );
  else await wait(below(10_000, random));
  return restarts === 0;
}

export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;

function checkEnd({ name, end }: CrashPod, { metadata, status }: Pod, { cluster }: CrashWorld) {
  const main = status.containerStatuses?.find((one) => one.name === "main");
  const found = `${status.phase} ${status.reason ?? ""} ${JSON.stringify(main?.state)}`;
  if (status.phase !== end?.phase || main?.state.terminated?.exitCode !== end?.exitCode)
    throw new Error(`${name} is ${found}, not ${end?.phase} with ${end?.exitCode}`);
  if (end?.lines === undefined) return;
  const count = logLines(cluster, metadata);
  if (count !== end.lines) throw new Error(`${name}: the log has ${count} of ${end.lines} lines`);
}

/** The number of lines in the log of the container `main` of a pod, which counts them. Throws if one is missing. */
export function logLines(
  { box }: CrashCluster,
  { name, uid }: Pick<Pod["metadata"], "name" | "uid">,
): number {
  const folder = join(box, "root/var/log/pods", `${namespace}_${name}_${uid}`, "main");
  const files = readdirSync(folder).sort();
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("");
  const numbers = [...text.matchAll(/ F line (\d+)$/gm)].map(([, number]) => Number(number));
  const wrong = numbers.findIndex((number, i) => number !== i);
  if (wrong >= 0) throw new Error(`${name}: line ${wrong} of the log is ${numbers[wrong]}`);
  return numbers.length;
}

interface Deletion {
  readonly uid: string;
  readonly grace: number | undefined;
}

/** Deletes a pod, and waits until it is gone. One that is held must first show how its containers have ended. */
export async function deletePod(
  { name, isHeld, isHasty, restarts }: CrashPod,
  { uid, grace }: Deletion,
  { cluster, history }: Pick<CrashWorld, "cluster" | "history">,
): Promise<void> {
  const { client } = cluster.connection;
  const key = { namespace, name };
  await repeated(name, async () => {
    const options = grace === undefined ? {} : { gracePeriodSeconds: grace };
    await ignoreNotFound(client.delete(Pod, key, { preconditions: { uid }, ...options }));
    return true;
  });
  if (isHeld) {
    const ended = await until(
      `${name} has ended`,
      history,
      name,
      ({ metadata, status }) =>
        metadata.deletionTimestamp !== undefined &&
        ["Succeeded", "Failed"].includes(status.phase ?? "") &&
        [...(status.containerStatuses ?? [])].every(({ state }) => state.terminated),
    );
    const codes = ended.status.containerStatuses?.map(({ state }) => state.terminated?.exitCode);
    // A busy machine may take longer than a short grace period.
    const isKilled = grace !== undefined && codes?.every((code) => code === 137);
    const isStopped = !isHasty && !restarts && ended.spec.restartPolicy === "Always";
    if (isStopped && ended.status.phase !== "Succeeded" && !isKilled)
      throw new Error(`${name} was stopped, and is ${ended.status.phase} with ${codes}`);
    const volumes = join(cluster.box, "root/var/lib/kubelet/pods", uid, "volumes");
    await repeated(`the volumes of ${name} are removed`, async () =>
      existsSync(volumes) && readdirSync(volumes).length > 0 ? undefined : true,
    );
    await repeated(name, async () => {
      await ignoreNotFound(
        client.patch(Pod, key, { merge: { metadata: { finalizers: null } } } as never),
      );
      return true;
    });
  }
  await repeated(`${name} is deleted`, async () =>
    (await ignoreNotFound(client.get(Pod, key))) === undefined ? true : undefined,
  );
  // Its last statuses reach the history after an outage when its watch has resumed.
  await repeated(`${name} is gone in the history`, async () =>
    history.get(name) === undefined ? true : undefined,
  );
}

interface Lived {
  readonly uid: string;
  /** Whether its containers ran when it was deleted. */
  readonly isStopped: boolean;
  readonly grace: number | undefined;
}

function checkJournal(
  { name, starts, hasPreStop, isHasty }: CrashPod,
  { uid, isStopped, grace }: Lived,
  { cluster, history, tally }: CrashWorld,
): void {
  const journal = readJournal(cluster.journal, name);
  const problems: string[] = [];
  for (const [container, found] of journal) {
    const restarts = history.restarts(uid, container);
    problems.push(...journalProblems(found, { restarts }).map((text) => `${container}: ${text}`));
  }
  for (const [container, expected] of Object.entries(starts)) {
    const count = journal.get(container)?.starts.size ?? 0;
    if (isHasty ? count > expected : count !== expected)
      problems.push(`${container} ran ${count} times instead of ${expected} times`);
    if (history.restarts(uid, container) >= expected) tally.interrupted++;
  }
  if (isStopped) problems.push(...stopProblems(journal, { hasPreStop, grace }));
  if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
}

/** What is wrong with the end of a pod that was ready when it was deleted. */
function stopProblems(
  journal: ReturnType<typeof readJournal>,
  { hasPreStop, grace }: Pick<CrashPod, "hasPreStop"> & Pick<Lived, "grace">,
): readonly string[] {
  const { counts } = journal.get("main") ?? { counts: new Map<string, number>() };
  if (!counts.has("start")) return ["main was ready and has never run"];
  // A busy machine may take longer than a short grace period.
  if (grace !== undefined) return [];
  const missing = [];
  if (!counts.has("term")) missing.push("main was killed without a signal to stop");
  if (hasPreStop && !counts.has("preStop")) missing.push("main was stopped without its hook");
  return missing;
}

/** Waits until the API shows a pod in some state. */
export async function until(
  what: string,
  history: PodHistory,
  name: string,
  isSo: (pod: Pod) => boolean,
): Promise<Pod> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await wait(50)) {
    const pod = history.get(name);
    if (pod && isSo(pod)) return pod;
  }
  const pod = history.get(name);
  throw new Error(`not so for ${patienceMs / 1000} s: ${what}: ${JSON.stringify(pod?.status)}`);
}

/** Repeats a request until it is answered with something, because the server may be killed at any time. */
export async function repeated<T>(
  what: string,
  request: () => Promise<T | undefined>,
): Promise<Exclude<T, undefined>> {
  let last: unknown;
  for (const end = Date.now() + patienceMs; Date.now() < end; await wait(100)) {
    try {
      const result = await request();
      if (result !== undefined) return result as Exclude<T, undefined>;
    } catch (error) {
      if (error instanceof StatusError && error.code < 429) throw error;
      last = error;
    }
  }
  throw new Error(`not so for ${patienceMs / 1000} s: ${what}`, { cause: last });
}

const patienceMs = 180_000;
