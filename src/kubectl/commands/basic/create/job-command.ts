import { stringFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { createObjectCommand, type ObjectPlan } from "./create-object-command.ts";
import { type NewObject, newObject } from "./new-object.ts";

const jobFlags = {
  image: stringFlag({ usage: "The image to run." }),
  from: stringFlag({
    usage: "The object from whose template the job is made: a cron job, as cronjob/name.",
  }),
};

export const createJobCommand = createObjectCommand({
  command: {
    name: "job",
    usage: "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    short: "Create a job with the specified name",
    long: "Create a job with the given name.",
    examples: `# Create a job
kubectl create job my-job --image=busybox

# Create a job that runs a command
kubectl create job my-job --image=busybox -- date

# Create a job from a cron job
kubectl create job test-job --from=cronjob/a-cronjob`,
  },
  flags: jobFlags,
  kind: { group: "batch", version: "v1", kind: "Job", plural: "jobs", scope: "Namespaced" },
  failure: () => "failed to create job: ",
  async generate(plan, context) {
    const { flags, rest, name, namespace } = plan;
    if ((flags.image === "") === (flags.from === ""))
      throw new Error("either --image or --from must be specified");
    if (rest.length > 0 && flags.from !== "") throw new Error("cannot specify --from and command");
    if (flags.from !== "") return jobFrom(await cronJobNamed(flags.from, context), plan);
    const container = {
      name,
      image: flags.image,
      ...(rest.length > 0 && { command: rest }),
      resources: {},
    };
    const template = { metadata: {}, spec: { containers: [container], restartPolicy: "Never" } };
    return newObject("batch/v1 Job", { name, namespace }, { spec: { template }, status: {} });
  },
});

async function cronJobNamed(from: string, context: CommandContext): Promise<DynamicObject> {
  const found = await findResources(context, {
    args: [from],
    flattens: true,
    isLatest: true,
    enforcesNamespace: false,
  });
  const infos = await found.infos();
  const [info] = infos;
  if (infos.length !== 1 || info?.object === undefined)
    throw new Error("from must be an existing cronjob");
  const { apiVersion, kind } = info.object;
  if (kind === "CronJob" && apiVersion.startsWith("batch/")) return info.object;
  throw new Error(`unknown object type ${goType(apiVersion, kind)}`);
}

/** The type of an object as Go prints it: `*v1.Pod`. */
function goType(apiVersion: string, kind: string): string {
  return `*${apiVersion.slice(apiVersion.indexOf("/") + 1)}.${kind}`;
}

interface CronJobSpec {
  readonly jobTemplate: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: object;
  };
}

/** The job that a cron job would make now. */
function jobFrom(cronJob: DynamicObject, plan: ObjectPlan<typeof jobFlags>): NewObject {
  const { name, namespace } = plan;
  const { metadata, spec } = (cronJob.spec as CronJobSpec).jobTemplate;
  const owner = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    name: cronJob.metadata.name,
    uid: cronJob.metadata.uid,
    controller: true,
  };
  return newObject(
    "batch/v1 Job",
    {
      name,
      namespace,
      labels: metadata?.labels,
      annotations: { "cronjob.kubernetes.io/instantiate": "manual", ...metadata?.annotations },
      ownerReferences: [owner],
    },
    { spec, status: {} },
  );
}
