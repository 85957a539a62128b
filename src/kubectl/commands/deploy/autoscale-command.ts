import { type Flag, intFlag, stringFlag } from "../../../cli/flag.ts";
import { dynamicKind } from "../../../client/resource-kind.ts";
import { quote } from "../../../schema/values/quote.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper } from "../../resource/helper.ts";
import { type Info, kindOf } from "../../resource/info.ts";
import { versionedResource } from "../../resource/resource-text.ts";
import { typedObject } from "../../resource/typed-object.ts";
import { type DryRun, dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { recorded, recordFlags } from "../shared/record.ts";
import { saveConfigFlags, withSavedStruct } from "../shared/saved-configuration.ts";
import { type Autoscaling, autoscalerV1, autoscalerV2 } from "./autoscale/autoscaler.ts";
import { resourceTarget } from "./autoscale/resource-target.ts";

/** An integer of 32 bits. */
function int32Flag(options: Parameters<typeof intFlag>[0]): Flag<number> {
  const flag = intFlag(options);
  return {
    ...flag,
    type: "int32",
    read(text, before) {
      const value = flag.read(text, before);
      if (value === Math.trunc(value) && Math.abs(value) <= 2 ** 31 - 1) return value;
      throw new Error(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
    },
  };
}

const flags = {
  ...recordFlags,
  ...outputFlags,
  min: int32Flag({
    default: -1,
    usage: "The least number of pods. If it is negative or not given, the server has a default.",
  }),
  max: int32Flag({ default: -1, usage: "The largest number of pods. Required." }),
  "cpu-percent": int32Flag({
    default: -1,
    usage:
      "The average CPU utilization of all pods to aim at, in percent of what they request. If it is negative or not given, a default policy is used.",
    deprecated:
      "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).",
  }),
  cpu: stringFlag({
    usage:
      'The CPU use of all pods to aim at. A percentage (e.g. "70%") is an average utilization of what they request, a quantity (e.g. "500m") an average value. A number without a unit means milliCPU.',
  }),
  memory: stringFlag({
    usage:
      'The memory use of all pods to aim at. A percentage (e.g. "60%") is an average utilization of what they request, a quantity (e.g. "200Mi") an average value. A number without a unit means mebibytes.',
  }),
  name: stringFlag({
    usage: "The name of the new object; that of the scaled resource if not given.",
  }),
  ...dryRunFlags,
  ...filenameFlags("identifying the resource to autoscale."),
  ...saveConfigFlags,
  ...fieldManagerFlags("kubectl-autoscale"),
};

export const autoscaleCommand = kubectlCommand({
  name: "autoscale",
  usage:
    "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]",
  short: "Auto-scale a deployment, replica set, stateful set, or replication controller",
  long: `Create an autoscaler, which sets the number of pods of a resource by how much they use.

It refers to a deployment, replica set, stateful set, or replication controller. The API autoscaling/v2 is tried first, and autoscaling/v1 if it fails.`,
  examples: `# Keep the deployment foo between 2 and 10 pods, by the default policy
kubectl autoscale deployment foo --min=2 --max=10

# Keep the replication controller foo between 1 and 5 pods, at a CPU utilization of 80%
kubectl autoscale rc foo --max=5 --cpu=80%

# Keep the deployment bar between 3 and 6 pods, at 500m of CPU and 200Mi of memory on average
kubectl autoscale deployment bar --min=3 --max=6 --cpu=500m --memory=200Mi`,
  flags,
  requiredFlags: ["max"],
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    checkFlags(flags);
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      flattens: true,
      continuesOnError: true,
    });
    let count = 0;
    await found.visit(async (info, error) => {
      if (error) throw error;
      await autoscale(context, info, dryRun);
      count++;
    });
    if (count === 0) throw new Error("no objects passed to autoscale");
    return undefined;
  },
});

type AutoscaleContext = CommandContext<typeof flags>;
type AutoscaleValues = AutoscaleContext["flags"];

function checkFlags(flags: AutoscaleValues): void {
  const { min, max, cpu, memory } = flags;
  if (max < 1) throw new Error(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min)
    throw new Error(
      `--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`,
    );
  if (flags["cpu-percent"] > 0 && cpu !== "")
    throw new Error("--cpu-percent and --cpu are mutually exclusive");
  if (cpu !== "") resourceTarget("cpu", cpu);
  if (memory !== "") resourceTarget("memory", memory);
}

/** Creates the autoscaler of one object. */
async function autoscale(context: AutoscaleContext, info: Info, dryRun: DryRun): Promise<void> {
  const { flags, factory } = context;
  const kind = kindOf(info);
  await checkScalable(context, info);
  const { namespace, isGiven } = await factory.namespace();
  const plan: Autoscaling = {
    name: flags.name || info.name,
    namespace: isGiven ? namespace : undefined,
    target: { kind, name: info.name },
    min: flags.min,
    max: flags.max,
    cpuPercent: flags["cpu-percent"],
    cpu: flags.cpu,
    memory: flags.memory,
  };
  const second = autoscalerV2(plan);
  try {
    await createAutoscaler(context, second, dryRun);
  } catch {
    checkFirstVersion(flags);
    await createAutoscaler(context, autoscalerV1(plan), dryRun);
  }
}

async function checkScalable({ factory }: AutoscaleContext, info: Info): Promise<void> {
  const kind = kindOf(info);
  const { resources } = await (await factory.discovery()).apis();
  const resource = resources.find(
    ({ group, version, plural }) =>
      group === kind.group && version === kind.version && plural === kind.plural,
  );
  if (resource?.subresources.some(({ name }) => name === "scale")) return;
  throw new Error(
    `cannot autoscale a ${kind.kind}: could not find scale subresource for ${versionedResource(kind)} in discovery information`,
  );
}

/** Throws if the older version cannot say what the flags say. */
function checkFirstVersion({ cpu, memory, ...flags }: AutoscaleValues): void {
  const fail = (why: string): Error =>
    new Error(
      `failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: ${why}`,
    );
  if (cpu.trim() === "") throw fail("empty input");
  const { type } = resourceTarget("cpu", cpu);
  const isSimple = flags["cpu-percent"] >= 0 || type === "Utilization";
  // As Go prints an error that is none.
  if (memory !== "" || !isSimple) throw fail("%!w(<nil>)");
}

async function createAutoscaler(
  context: AutoscaleContext,
  plan: Parameters<typeof typedObject>[0],
  dryRun: DryRun,
): Promise<void> {
  const { flags, factory, signal } = context;
  const object = await typedObject(recorded(context, plan));
  const operation = dryRun === "client" ? "created" : "autoscaled";
  const printer = () => objectPrinter(context, { operation, dryRun, keepsOrder: true });
  if (dryRun === "client") return printer()(object);
  const { namespace } = await factory.namespace();
  const [group = "", version = ""] = plan.apiVersion.split("/");
  const kind = dynamicKind({
    group,
    version,
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    scope: "Namespaced",
  });
  const requests = helper(await factory.client(), kind, {
    isDryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const saved = flags["save-config"] ? withSavedStruct(object) : object;
  const created = await requests.create(namespace, saved);
  printer()(await typedObject(created));
}
