import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { boolFlag, durationFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import type { Client } from "../../../../client/client.ts";
import { decodeResponse } from "../../../../client/decode-response.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import { resourcePath } from "../../../../client/resource-path.ts";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import { actionPrintFlags } from "../../../print/print-flags.ts";
import type { Output } from "../../../program/io.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { isList } from "../../../resource/info.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { podRunningTimeout } from "../../shared/pods/workload-pods.ts";
import { typedList } from "./typed-list.ts";

const core = (kind: string, plural: string) =>
  dynamicKind({ group: "", version: "v1", kind, plural, scope: "Namespaced" });

/** What is dumped of each namespace, with the names of the files. */
const dumped = [
  { file: "events", kind: core("Event", "events") },
  {
    file: "replication-controllers",
    kind: core("ReplicationController", "replicationcontrollers"),
  },
  { file: "services", kind: knownKinds.service },
  { file: "daemonsets", kind: knownKinds.daemonSet },
  { file: "deployments", kind: knownKinds.deployment },
  { file: "replicasets", kind: knownKinds.replicaSet },
  { file: "pods", kind: knownKinds.pod },
];

export const dumpCommand = kubectlCommand({
  name: "dump",
  usage: "[flags]",
  short: "Dump relevant information for debugging and diagnosis",
  long: `Dump what helps to find the causes of problems of a cluster. By default everything is printed; with --output-directory it becomes files in that folder.

The objects of the current namespace and of kube-system are dumped, unless --namespaces or --all-namespaces name others.

The logs of all pods are dumped, too, in folders by namespace and pod.`,
  examples: `# Dump current cluster state to stdout
kubectl cluster-info dump

# Dump current cluster state to /path/to/cluster-state
kubectl cluster-info dump --output-directory=/path/to/cluster-state

# Dump all namespaces to stdout
kubectl cluster-info dump --all-namespaces

# Dump a set of namespaces to /path/to/cluster-state
kubectl cluster-info dump --namespaces default,kube-system --output-directory=/path/to/cluster-state`,
  flags: {
    ...actionPrintFlags("json"),
    "output-directory": stringFlag({
      usage:
        "Where to output the files.  If empty or '-' uses stdout, otherwise creates a directory hierarchy in that directory",
    }),
    namespaces: stringsFlag({ usage: "A comma separated list of namespaces to dump." }),
    "all-namespaces": boolFlag({
      short: "A",
      usage: "If true, dump all namespaces.  If true, --namespaces is ignored.",
    }),
    "pod-running-timeout": durationFlag({
      default: 20_000,
      usage:
        "The length of time (like 5s, 2m, or 3h, higher than zero) to wait until at least one pod is running",
    }),
  },
  async run(context) {
    const { flags, factory, io, cwd } = context;
    const directory = flags["output-directory"];
    const toFiles = directory !== "" && directory !== "-";
    let out: Output = io.stdout;
    const switched: Output = { write: (text) => out.write(text) };
    const print = objectPrinter(
      { ...context, io: { ...io, stdout: switched } },
      { keepsOrder: true },
    );
    podRunningTimeout(flags);
    const extension = { json: ".json", yaml: ".yaml" }[flags.output] ?? ".txt";
    /** Directs what follows to a file, if there are to be files. */
    const begin = (name: string, ending = extension): void => {
      if (toFiles) out = fileOutput(`${join(directory, name)}${ending}`, cwd);
    };
    const printList = (name: string, list: DynamicObject): void => {
      begin(name);
      if (flags.output.toLowerCase() === "name")
        throw new Error(`list types are not supported by name printing: *v1.${list.kind}`);
      print(list);
    };

    const client = await factory.client();
    printList("nodes", await typedList(context, client, { kind: knownKinds.node }));
    for (const namespace of await namespacesOf(context, flags, client)) {
      let pods: readonly Pod[] = [];
      for (const { file, kind } of dumped) {
        const list = await typedList(context, client, { kind, namespace });
        printList(join(namespace, file), list);
        pods = isList(list) ? (list.items as unknown as readonly Pod[]) : [];
      }
      for (const pod of pods) {
        begin(join(namespace, pod.metadata.name ?? "", "logs"), ".txt");
        const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
        for (const { name = "" } of containers)
          await dumpLog(context, client, { pod, container: name, out });
      }
    }
    if (toFiles) io.stdout.write(`Cluster info dumped to ${directory}\n`);
    return undefined;
  },
});

async function namespacesOf(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  flags: { readonly namespaces: readonly string[]; readonly "all-namespaces": boolean },
  client: Client,
): Promise<readonly string[]> {
  if (flags["all-namespaces"]) {
    const list = await typedList({ factory, signal }, client, { kind: knownKinds.namespace });
    return isList(list) ? list.items.map(({ metadata }) => metadata.name ?? "") : [];
  }
  if (flags.namespaces.length > 0) return flags.namespaces;
  return ["kube-system", (await factory.namespace()).namespace];
}

function fileOutput(path: string, cwd: string): Output {
  const file = resolve(cwd, path);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, "");
  } catch (cause) {
    throw new Error(fileFault("open", path, cause), { cause });
  }
  return { write: (text) => writeFileSync(file, text, { flag: "a" }) };
}

async function dumpLog(
  { signal }: Pick<CommandContext, "signal">,
  client: Client,
  { pod, container, out }: { readonly pod: Pod; readonly container: string; readonly out: Output },
): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata;
  const title = `logs for container ${container} of pod ${namespace}/${name}`;
  out.write(`==== START ${title} ====\n`);
  try {
    const response = await client.raw({
      method: "GET",
      path: resourcePath(knownKinds.pod, { namespace, name, subresource: "log" }),
      query: { container },
      headers: { accept: "application/json, */*" },
      signal,
    });
    if (response.status >= 300) await decodeResponse(response);
    for await (const chunk of response.bytes()) out.write(chunk);
  } catch (error) {
    out.write(`Request log error: ${(error as Error).message}\n`);
  }
  out.write(`==== END ${title} ====\n`);
}
