import { afterEach, beforeEach, expect, test } from "vitest";
import { Job } from "../../api/batch/v1/job.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodActive } from "../../api/core/v1/pod/pod-state.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { completionIndex } from "./completion-index.ts";
import { jobModule } from "./job-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(jobModule));
});
afterEach(() => cluster.end());

type Spec = Partial<Job["spec"]>;

function create(spec: Spec = {}, pod: object = {}): Promise<Job> {
  const containers = [{ name: "c", image: "app:1" }];
  const template = { spec: { restartPolicy: "Never", containers, ...pod } };
  return cluster.client.create(Job, {
    metadata: { name: "j" },
    spec: { template, ...spec } as never,
  });
}

const patch = (spec: object) =>
  cluster.client.patch(Job, { name: "j" }, { merge: { spec } as never });

const pods = async (): Promise<readonly Pod[]> =>
  (await cluster.client.list(Pod, { namespace: "default" })).items;

const active = async (): Promise<readonly Pod[]> => (await pods()).filter(isPodActive);

const tracked = async (): Promise<readonly Pod[]> =>
  (await pods()).filter(({ metadata }) => metadata.finalizers);

/** The status once what happened has been noticed, which takes a second. */
async function status(): Promise<Job["status"]> {
  await cluster.advance("1s");
  return (await cluster.client.get(Job, { name: "j" })).status;
}

async function setStatus(pod: Pod, change: object): Promise<void> {
  const how = { subresource: "status" };
  await cluster.client.patch(Pod, keyOf(pod), { strategic: { status: change } as never }, how);
}

/** Ends pods of some indexes, or of all. */
async function end(phase: "Succeeded" | "Failed", ...indexes: readonly number[]): Promise<void> {
  const chosen = (await active()).filter(
    (pod) => indexes.length === 0 || indexes.includes(completionIndex(pod) ?? -1),
  );
  for (const pod of chosen) await setStatus(pod, { phase });
}

async function fail(exitCode: number, ...indexes: readonly number[]): Promise<void> {
  for (const pod of await active()) {
    if (indexes.length > 0 && !indexes.includes(completionIndex(pod) ?? -1)) continue;
    const terminated = { exitCode, finishedAt: new Date(cluster.clock.now()).toISOString() };
    const containerStatuses = [
      {
        name: "c",
        image: "app:1",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated },
      },
    ];
    await setStatus(pod, { phase: "Failed", containerStatuses });
  }
}

async function events(): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items
    .map(
      ({ type, reason, message = "" }) =>
        `${type} ${reason} ${message.replace(/j-(\d-)?\w{5}$/, "j-$1x")}`,
    )
    .sort();
}

const conditions = ({ conditions: all = [] }: Job["status"]) =>
  all.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

const indexes = async (): Promise<(number | undefined)[]> =>
  (await active()).map(completionIndex).sort();

test("pods run until all completions are reached, never more than the parallelism", async () => {
  await create({ completions: 3, parallelism: 2 });
  expect(await status()).toMatchObject({ active: 2, ready: 0, terminating: 0 });
  const [pod] = await pods();
  expect(pod?.metadata).toMatchObject({
    generateName: "j-",
    finalizers: ["batch.kubernetes.io/job-tracking"],
    ownerReferences: [{ kind: "Job", name: "j", controller: true, blockOwnerDeletion: true }],
  });
  await end("Succeeded");
  expect(await status()).toMatchObject({ active: 1, succeeded: 2, uncountedTerminatedPods: {} });
  await end("Succeeded");
  const done = await status();
  expect(done).toMatchObject({ succeeded: 3, ready: 0, terminating: 0 });
  expect(done.active).toBeUndefined();
  expect(done.completionTime).toBeDefined();
  expect(conditions(done)).toEqual([
    "SuccessCriteriaMet True CompletionsReached",
    "Complete True CompletionsReached",
  ]);
  expect(await tracked()).toEqual([]);
  expect(await events()).toEqual([
    "Normal Completed Job completed",
    "Normal SuccessfulCreate Created pod: j-x",
    "Normal SuccessfulCreate Created pod: j-x",
    "Normal SuccessfulCreate Created pod: j-x",
  ]);
});

test("without completions, one success is enough, and the other pods are left to end", async () => {
  await create({ parallelism: 3 });
  expect(await status()).toMatchObject({ active: 3 });
  const [first] = await pods();
  if (first) await setStatus(first, { phase: "Succeeded" });
  expect(await status()).toMatchObject({ active: 2, succeeded: 1 });
  await end("Succeeded");
  expect(conditions(await status())).toContain("Complete True CompletionsReached");
});

test("failed pods are replaced after a delay that doubles, until the limit", async () => {
  await create({ backoffLimit: 2 });
  await status();
  await fail(1);
  expect(await status()).toMatchObject({ failed: 1 });
  expect(await active()).toHaveLength(0);
  await cluster.advance("8s");
  expect(await active()).toHaveLength(0);
  await cluster.advance("2s");
  expect(await active()).toHaveLength(1);
  await fail(1);
  await cluster.advance("19s");
  expect(await active()).toHaveLength(0);
  await cluster.advance("2s");
  expect(await active()).toHaveLength(1);
  await fail(1);
  const done = await status();
  expect(done).toMatchObject({ failed: 3 });
  expect(conditions(done)).toEqual([
    "FailureTarget True BackoffLimitExceeded",
    "Failed True BackoffLimitExceeded",
  ]);
  expect(await events()).toContain(
    "Warning BackoffLimitExceeded Job has reached the specified backoff limit",
  );
  expect(await tracked()).toEqual([]);
});

test("a job that is active for too long fails, and its pods are deleted and counted", async () => {
  await create({ activeDeadlineSeconds: 30, parallelism: 2, completions: 2 });
  await status();
  await cluster.advance("28s");
  expect(await active()).toHaveLength(2);
  await cluster.advance("1s");
  expect(await active()).toHaveLength(0);
  const done = await status();
  expect(done).toMatchObject({ failed: 2, terminating: 0 });
  expect(conditions(done)).toEqual([
    "FailureTarget True DeadlineExceeded",
    "Failed True DeadlineExceeded",
  ]);
});

test("the pods of an indexed job have an index, and each index succeeds once", async () => {
  await create({ completionMode: "Indexed", completions: 4, parallelism: 3 });
  expect(await status()).toMatchObject({ active: 3 });
  expect(await indexes()).toEqual([0, 1, 2]);
  const pod = (await pods()).find((one) => completionIndex(one) === 1);
  expect(pod?.metadata).toMatchObject({
    generateName: "j-1-",
    labels: { "batch.kubernetes.io/job-completion-index": "1" },
    annotations: { "batch.kubernetes.io/job-completion-index": "1" },
  });
  expect(pod?.spec).toMatchObject({
    hostname: "j-1",
    containers: [
      {
        env: [
          {
            name: "JOB_COMPLETION_INDEX",
            valueFrom: {
              fieldRef: {
                fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']",
              },
            },
          },
        ],
      },
    ],
  });
  await end("Succeeded", 0, 2);
  expect(await status()).toMatchObject({ active: 2, succeeded: 2, completedIndexes: "0,2" });
  expect(await indexes()).toEqual([1, 3]);
  await end("Succeeded");
  expect(await status()).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
});

test("an indexed job grows and shrinks with its completions and parallelism", async () => {
  await create({ completionMode: "Indexed", completions: 3, parallelism: 3 });
  await status();
  await end("Succeeded", 2);
  await status();
  await patch({ completions: 2, parallelism: 2 });
  expect(await status()).toMatchObject({ active: 2 });
  await patch({ completions: 5, parallelism: 5 });
  expect(await status()).toMatchObject({ active: 5 });
  expect(await indexes()).toEqual([0, 1, 2, 3, 4]);
  await patch({ completions: 1, parallelism: 1 });
  await status();
  expect(await indexes()).toEqual([0]);
});

test("with a limit for each index, others go on, and the new pod carries the count of failures", async () => {
  await create({
    completionMode: "Indexed",
    completions: 3,
    parallelism: 3,
    backoffLimitPerIndex: 1,
  });
  await status();
  await fail(1, 1);
  expect(await status()).toMatchObject({ active: 2, failedIndexes: "" });
  expect(await tracked()).toHaveLength(3);
  await cluster.advance("10s");
  const second = (await active()).find((pod) => completionIndex(pod) === 1);
  expect(second?.metadata.annotations).toMatchObject({
    "batch.kubernetes.io/job-index-failure-count": "1",
  });
  await fail(1, 1);
  expect(await status()).toMatchObject({ active: 2, failed: 2, failedIndexes: "1" });
  await end("Succeeded");
  const done = await status();
  expect(done).toMatchObject({ succeeded: 2, completedIndexes: "0,2", failedIndexes: "1" });
  expect(conditions(done)).toEqual([
    "FailureTarget True FailedIndexes",
    "Failed True FailedIndexes",
  ]);
});

test("too many failed indexes fail the job, and its other pods are deleted", async () => {
  await create({
    completionMode: "Indexed",
    completions: 4,
    parallelism: 4,
    backoffLimitPerIndex: 0,
    maxFailedIndexes: 1,
  });
  await status();
  await fail(1, 0, 3);
  const done = await status();
  expect(done).toMatchObject({ failedIndexes: "0,3", failed: 4, terminating: 2 });
  // The condition waits for the end of pods that are being deleted.
  expect(conditions(done)).toEqual(["FailureTarget True MaxFailedIndexesExceeded"]);
  expect(conditions(await status())).toContain("Failed True MaxFailedIndexesExceeded");
  expect(await active()).toEqual([]);
});

test("the failure policy fails the job, ignores, and counts", async () => {
  const onExitCodes = (values: number[]) => ({ operator: "In" as const, values });
  await create({
    backoffLimit: 0,
    podFailurePolicy: {
      rules: [
        { action: "Ignore", onExitCodes: onExitCodes([3]) },
        { action: "FailJob", onExitCodes: onExitCodes([42]) },
      ],
    },
  });
  await status();
  await fail(3);
  expect((await status()).failed).toBeUndefined();
  await cluster.advance("10s");
  await fail(42);
  const done = await status();
  expect(conditions(done)).toEqual([
    "FailureTarget True PodFailurePolicy",
    "Failed True PodFailurePolicy",
  ]);
  expect(done.conditions?.[1]?.message).toMatch(
    /^Container c for pod default\/j-\w{5} failed with exit code 42 matching FailJob rule at index 1$/,
  );
});

test("the success policy ends the job, and deletes the other pods without counting them", async () => {
  await create({
    completionMode: "Indexed",
    completions: 3,
    parallelism: 3,
    successPolicy: { rules: [{ succeededIndexes: "0" }] },
  });
  await status();
  await end("Succeeded", 0);
  expect(await status()).toMatchObject({ terminating: 2 });
  const done = await status();
  expect(done).toMatchObject({ succeeded: 1, completedIndexes: "0", terminating: 0 });
  expect(done.failed).toBeUndefined();
  expect(conditions(done)).toEqual([
    "SuccessCriteriaMet True SuccessPolicy",
    "Complete True SuccessPolicy",
  ]);
  expect(await active()).toEqual([]);
});

test("a suspended job has no pods, and starts anew when it is resumed", async () => {
  await create({ suspend: true, completions: 2, parallelism: 2 });
  const held = await status();
  expect(conditions(held)).toEqual(["Suspended True JobSuspended"]);
  expect(held.startTime).toBeUndefined();
  await patch({ suspend: false });
  const resumed = await status();
  expect(conditions(resumed)).toEqual(["Suspended False JobResumed"]);
  expect(resumed).toMatchObject({ active: 2 });
  await end("Succeeded");
  await cluster.advance("1s");
  expect(await events()).toEqual(
    expect.arrayContaining(["Normal Suspended Job suspended", "Normal Resumed Job resumed"]),
  );
});

test("suspending deletes pods without counting them as failed", async () => {
  await create({ parallelism: 2, completions: 2 });
  await status();
  await patch({ suspend: true });
  const held = await status();
  expect(held.failed).toBeUndefined();
  expect(held.startTime).toBeUndefined();
  expect(await pods()).toEqual([]);
});

test("a job of another manager is left alone", async () => {
  await create({ managedBy: "example.com/other" });
  expect(await status()).toEqual({});
  expect(await pods()).toEqual([]);
});

test("the finalizers of pods go when their job is deleted", async () => {
  await create({ parallelism: 2, completions: 2 });
  await status();
  await cluster.client.delete(Job, { name: "j" }, { propagationPolicy: "Background" });
  await cluster.advance("2s");
  expect(await tracked()).toEqual([]);
});

test("a pod that is deleted is replaced, at once or once it has ended", async () => {
  await create({ podReplacementPolicy: "Failed" });
  await status();
  const [pod] = await pods();
  if (!pod) throw new Error("no pod");
  await cluster.client.patch(Pod, keyOf(pod), { merge: { spec: {} } as never });
  await setStatus(pod, { phase: "Running" });
  await cluster.client.delete(Pod, keyOf(pod));
  expect(await status()).toMatchObject({ terminating: 1 });
  expect(await active()).toEqual([]);
  await setStatus(pod, { phase: "Failed" });
  expect(await status()).toMatchObject({ failed: 1, terminating: 0 });
  await cluster.advance("10s");
  expect(await active()).toHaveLength(1);
});

test("more successes than asked for complete the job, with a warning", async () => {
  const job = await create({ parallelism: 1, completions: 1 });
  await status();
  const { metadata: labelled, spec } = job.spec.template;
  const orphan = { metadata: { name: "orphan", labels: labelled.labels ?? {} }, spec };
  const other = await cluster.client.create(Pod, orphan as never);
  for (const pod of [...(await active()), other]) await setStatus(pod, { phase: "Succeeded" });
  expect(await status()).toMatchObject({ succeeded: 2 });
  expect(await events()).toContain(
    "Warning TooManySucceededPods Too many succeeded pods running after completion count reached",
  );
});

test("an orphan is adopted with a finalizer, and a pod that no longer matches is released", async () => {
  const job = await create({ parallelism: 1, completions: 1 });
  const labels = job.spec.template.metadata.labels ?? {};
  await status();
  const [pod] = await pods();
  if (!pod) throw new Error("no pod");
  await cluster.client.patch(Pod, keyOf(pod), {
    merge: { metadata: { ownerReferences: null, finalizers: null } } as never,
  });
  await cluster.advance("2s");
  expect((await pods())[0]?.metadata).toMatchObject({
    ownerReferences: [{ name: "j" }],
    finalizers: ["batch.kubernetes.io/job-tracking"],
  });
  const gone = Object.fromEntries(Object.keys(labels).map((label) => [label, null]));
  await cluster.client.patch(Pod, keyOf(pod), { merge: { metadata: { labels: gone } } as never });
  await cluster.advance("2s");
  const freed = (await pods()).find(({ metadata }) => metadata.name === pod.metadata.name);
  expect(freed?.metadata.ownerReferences).toBeUndefined();
  expect(freed?.metadata.finalizers).toBeUndefined();
  expect(await active()).toHaveLength(2);
});
