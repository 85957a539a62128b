import { CronJob } from "../api/batch/v1/cron-job.ts";
import { Job } from "../api/batch/v1/job.ts";
import { isFinished } from "../api/batch/v1/job-status.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Client } from "../client/client.ts";
import { keyOf } from "../client/resource-kind.ts";
import { controllerOf, isControlledBy } from "../controller-runtime/objects/owner-references.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { Change, ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import { cronJobModule } from "./cronjob/cron-job-module.ts";
import { partsOf } from "./running.test-support.ts";

const containers = [{ name: "c", image: "app:1" }];
const template = { spec: { restartPolicy: "Never", containers } };

/** Cron jobs of any schedule and policy, whose jobs succeed, fail and are deleted by chance. */
export const cronJobCase: ConvergenceCase = {
  name: "cronjob",
  controllers: () => partsOf(cronJobModule) as readonly Controller[],

  async prepare(world) {
    const { cluster, client, number, pick, happens } = world;
    world.leaveAlone(
      await client.create(Job, { metadata: { name: "alone" }, spec: { template } } as never),
    );
    const names = happens(0.5) ? ["a"] : ["a", "b"];
    const policies = new Map<string, string>();
    for (const name of names) {
      const { metadata, spec } = await client.create(CronJob, randomCronJob(world, name));
      policies.set(metadata.uid ?? "", spec.concurrencyPolicy ?? "");
    }
    const ledger = new JobLedger(policies);
    const change = (name: string, spec: object): Promise<unknown> =>
      client.patch(CronJob, { name }, { merge: { spec } as never });
    const jobs = async (): Promise<readonly Job[]> =>
      (await client.list(Job, { namespace: "default" })).items.filter(
        (job) => controllerOf(job)?.kind === "CronJob",
      );
    const endAll = async (): Promise<boolean> => {
      const running = (await jobs()).filter(({ status }) => !isFinished(status));
      for (const job of running) await end(world, job, "Complete");
      return running.length > 0;
    };
    const lastTimes = async () =>
      new Map(
        (await client.list(CronJob)).items.map(({ metadata, status }) => [
          metadata.name,
          status.lastScheduleTime,
        ]),
      );
    let isObserved = false;
    const observed: string[] = [];
    return {
      async disturb() {
        // Time passes: schedules have at most one time in five minutes.
        await cluster.advance(number(1, 600_000));
        const found = await jobs();
        const act = pick(["end", "end", "delete", "suspend", "policy"]);
        if (act === "suspend") await change(pick(names), { suspend: happens(0.5) });
        else if (act === "policy")
          await change(pick(names), { failedJobsHistoryLimit: number(0, 3) });
        else if (found.length === 0) return;
        else if (act === "delete") await remove(client, ledger.removing(pick(found)));
        else if (!isFinished(pick(found).status))
          await end(world, pick(found), happens(0.7) ? "Complete" : "Failed");
      },

      changed: (one) => ledger.note(one),

      async release() {
        for (const name of names) await change(name, { suspend: false });
      },

      /** Once no faults are left, each schedule is kept for two hours; then all rests. */
      async work() {
        if (await endAll()) return true;
        if (isObserved) return false;
        isObserved = true;
        const before = await lastTimes();
        for (let i = 0; i < 24; i++) {
          await cluster.advance("5m");
          await endAll();
        }
        await cluster.advance("1m");
        for (const [name, time] of await lastTimes())
          if (time === before.get(name)) observed.push(`${name} created no job in two hours`);
        for (const name of names) await change(name, { suspend: true });
        return true;
      },

      async problems() {
        const all = await jobs();
        const { items } = await client.list(CronJob);
        return [...observed, ...items.flatMap((one) => problemsOf(one, all))];
      },
    };
  },
};

function randomCronJob({ number, pick, happens }: ConvergenceWorld, name: string) {
  const schedule = pick(["*/5 * * * *", "*/20 * * * *", "@hourly", "@every 7m"]);
  // As upstream, a shorter deadline than the period of "@every" means that it never comes.
  const hasDeadline = happens(0.5) && schedule !== "@every 7m";
  return {
    metadata: { name },
    spec: {
      schedule,
      concurrencyPolicy: pick(["Allow", "Forbid", "Replace"]),
      successfulJobsHistoryLimit: number(0, 3),
      failedJobsHistoryLimit: number(0, 2),
      suspend: happens(0.1),
      ...(hasDeadline && { startingDeadlineSeconds: number(20, 3600) }),
      jobTemplate: { spec: { template } },
    },
  } as never;
}

/** Ends a job as the job controller does. */
async function end(
  { client, cluster }: ConvergenceWorld,
  job: Job,
  type: "Complete" | "Failed",
): Promise<void> {
  const time = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
  const condition = (type: string) => ({
    ...{ type, status: "True", lastProbeTime: time, lastTransitionTime: time },
  });
  const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const status = {
    startTime: time,
    ...(type === "Complete" && { completionTime: time, succeeded: 1 }),
    conditions: [condition(interim), condition(type)],
    uncountedTerminatedPods: {},
  };
  await client
    .patch(Job, keyOf(job), { merge: { status } as never }, { subresource: "status" })
    .catch(unlessGone);
}

const remove = (client: Client, job: Job): Promise<unknown> =>
  client.delete(Job, keyOf(job), { propagationPolicy: "Background" } as never).catch(unlessGone);

function unlessGone(error: unknown): void {
  // It may have ended, or been replaced, at the same time.
  if (!StatusError.is(error, "NotFound", "Invalid", "Conflict")) throw error;
}

const scheduledAt = ({ metadata }: Job): string =>
  metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "";

/** The jobs of each cron job, as changes have it. */
class JobLedger {
  readonly #policies: ReadonlyMap<string, string>;
  readonly #present = new Map<string, Job>();
  readonly #times = new Map<string, Set<string>>();

  /** The times whose jobs somebody else has deleted: they may be created again if nobody had noted them. */
  readonly #removed = new Set<string>();

  constructor(policies: ReadonlyMap<string, string>) {
    this.#policies = policies;
  }

  removing(job: Job): Job {
    this.#removed.add(scheduledAt(job));
    return job;
  }

  /** Says if a time has a second job, or a policy is broken. */
  note({ type, object }: Change): string | undefined {
    const owner = controllerOf(object);
    if (object.kind !== "Job" || owner?.kind !== "CronJob") return undefined;
    const job = object as Job;
    const uid = job.metadata.uid ?? "";
    if (type !== "ADDED") {
      if (type === "DELETED") this.#present.delete(uid);
      else this.#present.set(uid, job);
      return undefined;
    }
    const times = this.#times.get(owner.uid) ?? new Set<string>();
    this.#times.set(owner.uid, times);
    const isSecond = times.has(scheduledAt(job)) && !this.#removed.has(scheduledAt(job));
    times.add(scheduledAt(job));
    const others = [...this.#present.values()].filter(
      (other) => controllerOf(other)?.uid === owner.uid && !isFinished(other.status),
    );
    this.#present.set(uid, job);
    if (isSecond) return `${owner.name} has a second job of ${scheduledAt(job)}`;
    const policy = this.#policies.get(owner.uid);
    return policy !== "Allow" && others.length > 0
      ? `${owner.name} has two jobs at a time, and the policy ${policy}`
      : undefined;
  }
}

/** What is not as a cron job that rests should be. */
function problemsOf(cronJob: CronJob, all: readonly Job[]): readonly string[] {
  const { metadata, spec, status } = cronJob;
  const own = all.filter((job) => isControlledBy(job, cronJob));
  const ended = (type: string): number =>
    own.filter((job) =>
      job.status.conditions?.some((one) => one.type === type && one.status === "True"),
    ).length;
  const problems: string[] = [];
  if ((status.active ?? []).length > 0) problems.push(`${metadata.name} has active jobs`);
  if (ended("Complete") > (spec.successfulJobsHistoryLimit ?? 3))
    problems.push(`${metadata.name} keeps ${ended("Complete")} jobs that succeeded`);
  if (ended("Failed") > (spec.failedJobsHistoryLimit ?? 1))
    problems.push(`${metadata.name} keeps ${ended("Failed")} jobs that failed`);
  const last = Math.max(0, ...own.map((job) => Date.parse(scheduledAt(job))));
  if (last > Date.parse(status.lastScheduleTime ?? "1970-01-01T00:00:00Z"))
    problems.push(`${metadata.name} does not know of its last job`);
  return problems;
}
