import { Job } from "../api/batch/v1/job.ts";
import { isFinished } from "../api/batch/v1/job-status.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive, isPodTerminating } from "../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { keyOf } from "../client/resource-kind.ts";
import { controllerOf, isControlledBy } from "../controller-runtime/objects/owner-references.ts";
import type { Change, ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import { strangers } from "./convergence-pods.test-support.ts";
import { completionIndex } from "./job/completion-index.ts";
import { parseIndexes, sizeOf } from "./job/index-set.ts";
import { jobController } from "./job/job-controller.ts";
import { orphanPodController } from "./job/orphan-pod-controller.ts";
import { isTracked } from "./job/tracking-finalizer.ts";

/** Jobs of any shape, whose pods succeed, fail and are deleted by chance, and which are suspended and resumed. */
export const jobCase: ConvergenceCase = {
  name: "job",
  controllers: () => [{ ...jobController(), concurrency: 5 }, orphanPodController],

  async prepare(world) {
    const { client, number, pick, happens } = world;
    await strangers(world, [{ app: "a" }]);
    const names = happens(0.5) ? ["a"] : ["a", "b"];
    for (const name of names) await client.create(Job, randomJob(world, name));
    const ledger = new PodLedger();
    const change = async (name: string, spec: object): Promise<void> => {
      try {
        await client.patch(Job, { name }, { merge: { spec } as never });
      } catch (error) {
        // A job that has ended cannot change in every way.
        if (!StatusError.is(error, "Invalid", "NotFound")) throw error;
      }
    };
    const endOne = async (): Promise<void> => {
      const all = (await client.list(Pod, { namespace: "default" })).items;
      const own = all.filter((pod) => isPodActive(pod) && controllerOf(pod)?.kind === "Job");
      if (own.length === 0) return;
      const pod = pick(own);
      if (happens(0.15)) {
        await client.delete(Pod, keyOf(pod));
        return;
      }
      const merge = { status: { phase: happens(0.6) ? "Succeeded" : "Failed" } };
      await client.patch(Pod, keyOf(pod), { merge } as never, { subresource: "status" });
    };
    return {
      async disturb() {
        const name = pick(names);
        await pick([
          endOne,
          endOne,
          endOne,
          endOne,
          () => change(name, { suspend: happens(0.5) }),
          () => change(name, { parallelism: number(0, 5) }),
        ])();
      },

      changed: (one) => ledger.note(one),

      async release() {
        for (const name of names) await change(name, { suspend: false, parallelism: 3 });
      },

      // Jobs go on until all of their pods have succeeded.
      async work() {
        const all = (await client.list(Pod, { namespace: "default" })).items;
        const own = all.filter((pod) => controllerOf(pod)?.kind === "Job");
        const running = own.filter((pod) => isPodActive(pod) && pod.status.phase === "Running");
        const going = own.filter((pod) => isPodTerminating(pod) && isTracked(pod));
        const end = (pod: Pod, phase: string): Promise<unknown> =>
          client.patch(Pod, keyOf(pod), { merge: { status: { phase } } } as never, {
            subresource: "status",
          });
        for (const pod of running) await end(pod, "Succeeded");
        for (const pod of going) await end(pod, "Failed");
        return running.length + going.length > 0;
      },

      async problems() {
        const all = (await client.list(Pod, { namespace: "default" })).items;
        const problems: string[] = [];
        for (const name of names) {
          const job = await client.get(Job, { name });
          problems.push(...problemsOf(job, all), ...ledger.problemsOf(job));
        }
        return problems;
      },
    };
  },
};

function randomJob({ number, pick, happens }: ConvergenceWorld, name: string) {
  const isIndexed = happens(0.4);
  const completions = number(1, 6);
  const container = { name: "c", image: "app:1" };
  return {
    metadata: { name },
    spec: {
      parallelism: number(1, 4),
      completions,
      backoffLimit: pick([0, 2, 6, 100]),
      completionMode: isIndexed ? "Indexed" : "NonIndexed",
      suspend: happens(0.1),
      ...(isIndexed && happens(0.5) && { backoffLimitPerIndex: number(0, 2) }),
      ...(isIndexed && happens(0.3) && { successPolicy: { rules: [{ succeededCount: 1 }] } }),
      podReplacementPolicy: pick(["TerminatingOrFailed", "Failed"]),
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  } as never;
}

/** What became of each pod of a job, as changes have it: an account that the job must come to as well. */
class PodLedger {
  /** Pods by uid, as they last were. */
  readonly #pods = new Map<string, Pod>();
  /** Pods that lost their finalizer while they ran, because there were too many: they do not count. */
  readonly #released = new Set<string>();

  /** Says if a second pod runs for an index, or more pods than were ever wanted. */
  note({ type, object }: Change): string | undefined {
    const owner = controllerOf(object);
    if (object.kind !== "Pod" || owner?.kind !== "Job") return undefined;
    const pod = object as Pod;
    const uid = pod.metadata.uid ?? "";
    this.#pods.set(uid, pod);
    if (isPodActive(pod) && !isTracked(pod)) this.#released.add(uid);
    if (type !== "ADDED") return undefined;
    const others = [...this.#pods.values()].filter(
      (other) =>
        other !== pod &&
        controllerOf(other)?.uid === owner.uid &&
        isPodActive(other) &&
        isTracked(other),
    );
    const index = completionIndex(pod);
    if (index !== undefined && others.some((other) => completionIndex(other) === index))
      return `${pod.metadata.name} is a second pod of index ${index}`;
    return others.length >= mostActive ? `${owner.name} had ${others.length + 1} pods` : undefined;
  }

  /** Compares the counts of a job with the pods that have ended: each counts once. */
  problemsOf(job: Job): readonly string[] {
    const { metadata, spec, status } = job;
    const own = [...this.#pods.values()].filter(
      (pod) => isControlledBy(pod, job) && !this.#released.has(pod.metadata.uid ?? ""),
    );
    const ended = own.filter((pod) => pod.status.phase === "Succeeded");
    const problems: string[] = [];
    const succeeded = status.succeeded ?? 0;
    const failed = status.failed ?? 0;
    if (spec.completionMode === "Indexed") {
      const indexes = new Set(ended.map(completionIndex));
      if (succeeded > indexes.size)
        problems.push(`${metadata.name}: ${succeeded} of ${indexes.size} indexes succeeded`);
    } else if (succeeded !== ended.length)
      problems.push(`${metadata.name}: ${succeeded} counted, ${ended.length} pods succeeded`);
    const surelyFailed = own.filter((pod) => pod.status.phase === "Failed").length;
    const perhapsFailed = own.filter(
      (pod) => pod.status.phase !== "Succeeded" && pod.metadata.deletionTimestamp !== undefined,
    ).length;
    // Pods that run when the success policy is met do not count, even if they fail at that moment.
    const isEarly = status.conditions?.some(({ reason }) => reason === "SuccessPolicy") ?? false;
    if ((failed < surelyFailed && !isEarly) || failed > surelyFailed + perhapsFailed)
      problems.push(
        `${metadata.name}: ${failed} counted, ${surelyFailed} pods failed, ${perhapsFailed} were deleted`,
      );
    return problems;
  }
}

/** The parallelism of no job is more. */
const mostActive = 5;

/** What is not as a job that has ended should be. */
function problemsOf(job: Job, all: readonly Pod[]): readonly string[] {
  const { metadata, spec, status } = job;
  const problems: string[] = [];
  const expect = (what: string, is: unknown, wanted: unknown): void => {
    if (is !== wanted) problems.push(`${metadata.name}: ${what} is ${is}, not ${wanted}`);
  };
  const own = all.filter((pod) => isControlledBy(pod, job));
  expect("the end", isFinished(status), true);
  expect("the number of active pods", own.filter(isPodActive).length, 0);
  expect("the number of pods with finalizers", own.filter(isTracked).length, 0);
  expect("active", status.active ?? 0, 0);
  expect("ready", status.ready, 0);
  expect("terminating", status.terminating, 0);
  expect("uncounted", JSON.stringify(status.uncountedTerminatedPods), "{}");
  if (spec.completionMode === "Indexed") {
    const indexes = parseIndexes(status.completedIndexes, spec.completions ?? 0);
    expect("succeeded", status.succeeded ?? 0, sizeOf(indexes));
  }
  const ends = (status.conditions ?? []).filter(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  expect("the number of ends", ends.length, 1);
  const isComplete = ends[0]?.type === "Complete" && ends[0].reason === "CompletionsReached";
  if (isComplete && (status.succeeded ?? 0) < (spec.completions ?? 1))
    problems.push(`${metadata.name} is complete with ${status.succeeded} pods`);
  return problems;
}
