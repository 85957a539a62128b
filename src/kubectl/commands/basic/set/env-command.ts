import { boolFlag, stringArrayFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { readAll } from "../../../program/io.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { printWarning } from "../../shared/print-warning.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";
import { listEnv } from "./list-env.ts";
import { changedEnv, type EnvChanges, parseEnv, resourcesAndEnv } from "./parse-env.ts";
import { type ObjectChange, patchObjects } from "./patch-objects.ts";
import {
  type Container,
  type EnvVariable,
  type PodSpec,
  withContainers,
  withPodSpec,
} from "./pod-spec.ts";
import { findTyped, localAndServer, setFlags } from "./set-flags.ts";

const flags = {
  ...setFlags("the resource to update the env", "env"),
  containers: stringFlag({
    short: "c",
    default: "*",
    usage: "The names of containers in the selected pod templates to change - may use wildcards",
  }),
  from: stringFlag({
    usage: "The name of a resource from which to inject environment variables",
  }),
  prefix: stringFlag({ usage: "Prefix to append to variable names" }),
  env: stringArrayFlag({
    short: "e",
    usage: "Specify a key-value pair for an environment variable to set into each container.",
  }),
  keys: stringsFlag({
    usage: "Comma-separated list of keys to import from specified resource",
  }),
  list: boolFlag({
    usage: "If true, print the variables, with the changes, as KEY=VALUE, and change nothing.",
  }),
  resolve: boolFlag({
    usage: "If true, show secret or configmap references when listing variables",
  }),
  overwrite: boolFlag({
    default: true,
    usage:
      "If true, allow environment to be overwritten, otherwise reject updates that overwrite existing environment.",
  }),
  ...labelSelectorFlags,
};

export const setEnvCommand = kubectlCommand({
  name: "env",
  usage: "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
  short: "Update environment variables on a pod template",
  long: `Add, change, remove or list environment variables of containers, in pods and in pod templates: in all containers, or in those whose names match.

With "--env -", variables are read from STDIN, one KEY=VALUE a line.

Possible resources include (case insensitive):

  pod (po), replicationcontroller (rc), deployment (deploy), daemonset (ds), statefulset (sts), cronjob (cj), replicaset (rs)`,
  examples: `# Set a variable in a deployment
kubectl set env deployment/registry STORAGE_DIR=/local

# List the variables of a deployment, and of all pods
kubectl set env deployment/sample-build --list
kubectl set env pods --all --list

# Print the changed deployment, and change it
kubectl set env deployment/sample-build STORAGE_DIR=/data -o yaml

# Set a variable in all replication controllers
kubectl set env rc --all ENV=prod

# Import variables from a secret, and from a config map with a prefix
kubectl set env --from=secret/mysecret deployment/myapp
kubectl set env --from=configmap/myconfigmap --prefix=MYSQL_ deployment/myapp

# Import one key of a config map
kubectl set env --keys=my-example-key --from=configmap/myconfigmap deployment/myapp

# Remove a variable from one container of all deployments
kubectl set env deployments --all --containers="c1" ENV-

# Remove a variable from the object that a file names
kubectl set env -f deploy.json ENV-

# Set variables of this shell
env | grep RAILS_ | kubectl set env -e - deployment/registry`,
  flags,
  async run(context) {
    const { flags, args, io } = context;
    if (flags.all && flags.selector !== "")
      throw new Error("cannot set --all and --selector at the same time");
    const { resources, changes } = resourcesAndEnv(args);
    const dryRun = dryRunOf(context);
    objectPrinter(context);
    checkEnvFlags(flags, { resources, dryRun });
    const readStdin = async (): Promise<string> =>
      Buffer.from(await readAll(io.stdin)).toString("utf8");
    const parsed = await parseEnv([...flags.env, ...changes], readStdin);
    const isStdinUsed = parsed.usesStdin;
    const imported = await importedVariables(context, isStdinUsed);
    const set = [...parsed.set, ...imported].map((variable) => ({
      ...variable,
      name: `${flags.prefix}${variable.name}`,
    }));
    const infos = await findTyped(context, flags, { args: resources, isStdinUsed });
    const change: ObjectChange = {
      operation: "env updated",
      dryRun,
      failure: "failed to patch env update to pod template: ",
      errors: [],
      checkPatched() {
        if (set.length === 0 && changes.length === 0)
          throw new Error("at least one environment variable must be provided");
      },
      change: (object) => withEnv(context, object, { set, remove: parsed.remove }),
    };
    if (!flags.list) return patchObjects(context, infos, change);
    for (const { object } of infos) if (object) await listed(context, object, change);
    return undefined;
  },
});

type EnvContext = CommandContext<typeof flags>;

function checkEnvFlags(
  flags: EnvContext["flags"],
  { resources, dryRun }: { readonly resources: readonly string[]; readonly dryRun: string },
): void {
  if (flags.local && dryRun === "server") throw new Error(localAndServer);
  if (flags.filename.length === 0 && resources.length === 0)
    throw new Error(
      "one or more resources must be specified as <resource> <name> or <resource>/<name>",
    );
  if (flags.list && flags.output !== "")
    throw new Error("--list and --output may not be specified together");
  if (flags.keys.length > 0 && flags.from === "")
    throw new Error("when specifying --keys, a configmap or secret must be provided with --from");
}

/** Variables that refer to the keys of the config maps and secrets that `--from` names. */
async function importedVariables(
  context: EnvContext,
  isStdinUsed: boolean,
): Promise<readonly EnvVariable[]> {
  const { flags, io } = context;
  if (flags.from === "") return [];
  const infos = await findTyped(context, flags, { args: [flags.from], isStdinUsed });
  return infos.flatMap(({ object }) => {
    const source = sources.get(`${object?.apiVersion} ${object?.kind}`);
    if (!object || source === undefined)
      throw new Error("unsupported resource specified in --from");
    const keys = sortedKeys((object.data ?? {}) as object);
    const isWanted = (key: string): boolean => flags.keys.length === 0 || flags.keys.includes(key);
    return keys.filter(isWanted).map((key) => {
      const name = key.replaceAll(/[^a-zA-Z0-9_]/g, "_").toUpperCase();
      if (name !== key) printWarning(io, `key ${key} transferred to ${name}`);
      return { name, valueFrom: { [source]: { name: object.metadata.name, key } } };
    });
  });
}

const sources: ReadonlyMap<string, string> = new Map([
  ["v1 Secret", "secretKeyRef"],
  ["v1 ConfigMap", "configMapKeyRef"],
]);

/** An object after its variables were changed; warns where no container matches. */
function withEnv(
  { flags, io }: EnvContext,
  object: DynamicObject,
  changes: Pick<EnvChanges, "set" | "remove">,
): DynamicObject {
  return withPodSpec(object, (spec) => {
    const after = withContainers(spec, flags.containers, (container) => {
      const existing = container.env ?? [];
      if (!flags.overwrite) checkOverwrites(existing, changes.set);
      return { ...container, env: changedEnv(existing, changes) };
    });
    if (after) return after;
    printWarning(
      io,
      `${object.kind}/${object.metadata.name ?? ""} does not have any containers matching ${quote(flags.containers)}`,
    );
    return spec;
  });
}

function checkOverwrites(existing: readonly EnvVariable[], set: readonly EnvVariable[]): void {
  for (const { name, value = "" } of set) {
    const current = existing.find((one) => one.name === name);
    if (current && (current.value ?? "") !== value)
      throw new Error(
        `'${name}' already has a value (${current.value ?? ""}), and --overwrite is false`,
      );
  }
}

/** Prints the variables of an object after its changes; what is wrong with an object ends its list only. */
async function listed(
  context: EnvContext,
  object: DynamicObject,
  { change }: ObjectChange,
): Promise<void> {
  let spec: PodSpec | undefined;
  try {
    const after = await change(object);
    if (after)
      withPodSpec(after, (found) => {
        spec = found;
        return found;
      });
  } catch {
    return;
  }
  if (!spec) return;
  const containers: Container[] = [];
  withContainers(spec, context.flags.containers, (container) => {
    containers.push(container);
    return container;
  });
  await listEnv(context, { object, containers, resolves: context.flags.resolve });
}
