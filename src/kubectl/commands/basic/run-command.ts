import { boolFlag, stringArrayFlag, stringFlag } from "../../../cli/flag.ts";
import type { DiscoveredKind } from "../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { usageError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { helper } from "../../resource/helper.ts";
import { typedObject } from "../../resource/typed-object.ts";
import { deletionFlags, type Propagation, propagationOf } from "../shared/deletion-flags.ts";
import { type DryRun, dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { filenameFlags } from "../shared/filename-flags.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { overridden, overrideFlags } from "../shared/overrides.ts";
import { podRunningTimeout, podRunningTimeoutFlags } from "../shared/pods/workload-pods.ts";
import { recorded, recordFlags } from "../shared/record.ts";
import { saveConfigFlags, withSavedStruct } from "../shared/saved-configuration.ts";
import { isImageReference } from "./run/image-reference.ts";
import { podToRun, serviceToRun } from "./run/pod-to-run.ts";

export const runFlags = {
  ...filenameFlags("to use to replace the resource."),
  ...deletionFlags,
  ...outputFlags,
  ...recordFlags,
  ...dryRunFlags,
  annotations: stringArrayFlag({ usage: "Annotations of the pod." }),
  image: stringFlag({ usage: "The image for the container to run." }),
  "image-pull-policy": stringFlag({
    usage: "When the image is pulled. If left empty, the server has a default.",
  }),
  rm: boolFlag({
    usage:
      "If true, delete the pod after it exits. Only with '--attach' or with '-i/--stdin', which attach to the container.",
  }),
  env: stringArrayFlag({ usage: "Environment variables of the container." }),
  port: stringFlag({ usage: "The port of the container." }),
  labels: stringFlag({
    short: "l",
    usage:
      "The labels of the pod, separated by commas, instead of the label that it has by default.",
  }),
  stdin: boolFlag({
    short: "i",
    usage: "Keep stdin of the container open, even if nothing is attached.",
  }),
  tty: boolFlag({ short: "t", usage: "Give the container a terminal." }),
  attach: boolFlag({
    usage:
      "If true, wait until the pod runs, and attach to it as 'kubectl attach ...' does. Default false, unless '-i/--stdin' is set. With '--restart=Never', the exit code is that of the container.",
  }),
  "leave-stdin-open": boolFlag({
    usage:
      "If stdin is kept open, leave it open after the first attach ends; by default it is closed then.",
  }),
  restart: stringFlag({
    default: "Always",
    usage: "When the containers are restarted: Always, OnFailure or Never.",
  }),
  command: boolFlag({
    usage: "If true, further arguments are the 'command' of the container, rather than its 'args'.",
  }),
  expose: boolFlag({
    usage: "If true, create a ClusterIP service for the pod. Requires `--port`.",
  }),
  quiet: boolFlag({ short: "q", usage: "If true, print no prompts." }),
  privileged: boolFlag({ usage: "If true, run the container in privileged mode." }),
  "detach-keys": stringFlag({
    default: "ctrl-p,ctrl-q",
    usage: "The keys that detach from a container, typed one after another",
  }),
  ...fieldManagerFlags("kubectl-run"),
  ...overrideFlags,
  ...saveConfigFlags,
  ...podRunningTimeoutFlags(60_000),
};

export type RunContext = CommandContext<typeof runFlags>;

export const runCommand = kubectlCommand({
  name: "run",
  usage:
    'NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
  short: "Run a particular image on the cluster",
  long: "Create a pod that runs an image.",
  examples: `# Start a pod of nginx
kubectl run nginx --image=nginx

# Start a pod whose container has the port 5701
kubectl run hazelcast --image=hazelcast/hazelcast --port=5701

# Start a pod with environment variables
kubectl run hazelcast --image=hazelcast/hazelcast --env="DNS_DOMAIN=cluster" --env="POD_NAMESPACE=default"

# Start a pod with labels
kubectl run hazelcast --image=hazelcast/hazelcast --labels="app=hazelcast,env=prod"

# Only print what would be created
kubectl run nginx --image=nginx --dry-run=client

# Start a pod with parts of its spec in JSON
kubectl run nginx --image=nginx --overrides='{ "apiVersion": "v1", "spec": { ... } }'

# Start a pod, stay in the foreground, and do not restart it
kubectl run -i -t busybox --image=busybox --restart=Never

# Start a pod with other arguments
kubectl run nginx --image=nginx -- <arg1> <arg2> ... <argN>

# Start a pod with another command
kubectl run nginx --image=nginx --command -- <cmd> <arg1> ... <argN>`,
  flags: runFlags,
  requiredFlags: ["image"],
  async run(context) {
    const { flags, given, args } = context;
    const dryRun = dryRunOf(context);
    const attaches = given.has("attach") ? flags.attach : flags.stdin;
    const print = objectPrinter(context, { operation: "created", dryRun, keepsOrder: true });
    const propagation = propagationOf(context);
    const timeoutMs = await checkRequest(context, { attaches, dryRun });

    const [name = "", ...rest] = args;
    const request = { name, args: rest, flags };
    const pod = await createObject(context, podToRun(request), { dryRun, kind: knownKinds.pod });
    const created: CreatedObject[] = [{ kind: knownKinds.pod, object: pod }];
    let exposeError: Error | undefined;
    if (flags.expose)
      try {
        const service = serviceToRun(request);
        const kind = knownKinds.service;
        const object = await createObject(context, service, { dryRun, kind });
        created.push({ kind, object });
        print(object);
        if (flags.output === "yaml") context.io.stdout.write("---\n");
      } catch (error) {
        exposeError = error as Error;
      }
    if (attaches) {
      const { runAttached } = await import("./run/run-attached.ts");
      return runAttached(context, { created, timeoutMs, propagation });
    }
    print(pod);
    if (exposeError) throw exposeError;
    return undefined;
  },
});

/** An object that the command has created. */
export interface CreatedObject {
  readonly kind: DiscoveredKind;
  readonly object: DynamicObject;
}

/** What running attached needs to know. */
export interface AttachedRun {
  /** The pod, and the service if there is one. */
  readonly created: readonly CreatedObject[];
  readonly timeoutMs: number;
  readonly propagation: Propagation;
}

/** Throws for arguments that contradict each other; returns how long to wait for the pod. */
async function checkRequest(
  { flags, args, path, factory }: RunContext,
  { attaches, dryRun }: { readonly attaches: boolean; readonly dryRun: DryRun },
): Promise<number> {
  const wrong = (problem: string): Error => usageError(path, problem);
  const { image, restart } = flags;
  if (args.length === 0) throw wrong("NAME is required for run");
  const timeoutMs = timeoutOf(flags, wrong);
  if (image === "") throw new Error("--image is required");
  if (!isImageReference(image))
    throw new Error(`Invalid image name "${image}": invalid reference format`);
  if (flags.tty && !flags.stdin)
    throw wrong("-i/--stdin is required for containers with -t/--tty=true");
  if (flags.expose && flags.port === "") throw wrong("--port must be set when exposing a service");
  await factory.namespace();
  if (!["", "Always", "OnFailure", "Never"].includes(restart))
    throw wrong(`invalid restart policy: ${restart}`);
  if (flags.rm && !attaches) throw wrong("--rm should only be used for attached containers");
  if (attaches && dryRun !== "none")
    throw wrong(
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  const pull = flags["image-pull-policy"];
  if (!["", "Always", "IfNotPresent", "Never"].includes(pull))
    throw wrong(`invalid image pull policy: ${pull}`);
  return timeoutMs;
}

function timeoutOf(flags: RunContext["flags"], wrong: (problem: string) => Error): number {
  try {
    return podRunningTimeout(flags);
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

/** Creates an object, unless it is a dry run of the client; only pods can be overridden. */
async function createObject(
  context: RunContext,
  plan: DynamicObject,
  { dryRun, kind }: { readonly dryRun: DryRun; readonly kind: DiscoveredKind },
): Promise<DynamicObject> {
  const { flags, factory, signal } = context;
  const { namespace, isGiven } = await factory.namespace();
  const generated = await typedObject(plan);
  const changed = kind === knownKinds.pod ? await overridden(generated, flags) : generated;
  const object = await typedObject(recorded(context, changed));
  if (dryRun === "client") {
    const metadata = { ...object.metadata, ...(isGiven && { namespace }) };
    return typedObject({ ...object, metadata });
  }
  const requests = helper(await factory.client(), kind, {
    isDryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const saved = flags["save-config"] ? withSavedStruct(object) : object;
  return typedObject(await requests.create(namespace, saved));
}
