import { mkdir, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { boolFlag, stringArrayFlag, stringFlag } from "../../../cli/flag.ts";
import { fileFault } from "../../../kubeconfig/file-fault.ts";
import type { Kustomized, KustomizeOptions } from "../../kustomize/build-kustomization.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { klog } from "../shared/klog.ts";

const orders = ["legacy", "none"] as const;
const restrictors = ["LoadRestrictionsRootOnly", "LoadRestrictionsNone"] as const;

const flags = {
  output: stringFlag({ short: "o", usage: "If specified, write output to this path." }),
  "load-restrictor": stringFlag({
    default: "LoadRestrictionsRootOnly",
    usage:
      "if set to 'LoadRestrictionsNone', kustomizations may load files from outside their folder, which then cannot be moved alone.",
  }),
  reorder: {
    ...stringFlag({
      default: "legacy",
      usage: "How the objects are sorted before they are printed: 'legacy', or 'none'.",
      deprecated: "use the new 'sortOptions' field in kustomization.yaml instead.",
    }),
  },
  "enable-managedby-label": boolFlag({
    usage: "enable adding app.kubernetes.io/managed-by",
    deprecated:
      "The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field instead.",
  }),
  "enable-alpha-plugins": boolFlag({ usage: "enable kustomize plugins" }),
  "enable-helm": boolFlag({ usage: "Enable use of the Helm chart inflator generator." }),
  "helm-command": stringFlag({
    default: "helm",
    usage: "helm command (path to executable)",
  }),
  "helm-api-versions": stringArrayFlag({
    usage: "Kubernetes api versions used by Helm for Capabilities.APIVersions",
  }),
  "helm-kube-version": stringFlag({
    usage: "Kubernetes version used by Helm for Capabilities.KubeVersion",
  }),
  "helm-debug": boolFlag({
    usage: "Enable debug output from the Helm chart inflator generator.",
  }),
  network: boolFlag({ usage: "enable network access for functions that declare it" }),
  "network-name": stringFlag({
    default: "bridge",
    usage: "the docker network to run the container in",
  }),
  mount: stringArrayFlag({ usage: "a list of storage options read from the filesystem" }),
  env: stringArrayFlag({
    short: "e",
    usage: "a list of environment variables to be used by functions",
  }),
  "as-current-user": boolFlag({
    usage: "use the uid and gid of the command executor to run the function in the container",
  }),
};

export const kustomizeCommand = kubectlCommand({
  name: "kustomize",
  usage: "DIR [flags]",
  short: "Build a kustomization target from a directory or URL",
  long: "Build the objects of a kustomization. DIR is a directory with a file 'kustomization.yaml', or the URL of a git repository, with the path of such a directory in it. Without DIR, it is the current directory.",
  examples: `# Build the current directory
kubectl kustomize

# Build another directory
kubectl kustomize /home/config/production

# Build a directory of a repository
kubectl kustomize https://github.com/kubernetes-sigs/kustomize.git/examples/helloWorld?ref=v1.0.6`,
  flags,
  async run(context) {
    const { args, cwd, io } = context;
    const [path = ".", ...others] = args;
    if (others.length > 0) throw new Error("specify one path to kustomization.yaml");
    const options = buildOptions(context);
    const { buildLocalKustomization } = await import(
      "../../kustomize/build-local-kustomization.ts"
    );
    const built = await buildLocalKustomization(path, { cwd, options });
    for (const line of built.warnings) io.stderr.write(`${line}\n`);
    for (const text of built.logged) klog(context, "I", text, "log.go:244");
    await writeBuilt(built, context);
    return undefined;
  },
});

function buildOptions({
  flags: values,
  given,
}: Pick<CommandContext<typeof flags>, "flags" | "given">): KustomizeOptions {
  const restrictor = choice("load-restrictor", values["load-restrictor"], restrictors);
  const reorder = choice("reorder", values.reorder, orders);
  return {
    loadRestrictor: restrictor,
    ...(given.has("reorder") && { reorder }),
    addManagedByLabel: values["enable-managedby-label"],
    ...(values["enable-helm"] && { helm: { command: values["helm-command"] } }),
  };
}

function choice<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === value);
  if (found !== undefined) return found;
  throw new Error(`illegal flag value --${name} ${value}; legal values: [${choices.join(" ")}]`);
}

/** Prints what was built, or writes it to a file, or to a file for each object where the path is a folder. */
async function writeBuilt(
  { yaml, files }: Kustomized,
  { flags: { output }, cwd, io }: CommandContext<typeof flags>,
): Promise<void> {
  if (output === "") {
    io.stdout.write(yaml);
    return;
  }
  const target = resolve(cwd, output);
  const isFolder = await stat(target).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const write = (path: string, shown: string, text: string): Promise<void> =>
    writeFile(path, text).catch((cause: unknown) => {
      throw new Error(fileFault("open", shown, cause), { cause });
    });
  if (!isFolder) return write(target, output, yaml);
  await mkdir(target, { recursive: true });
  for (const [name, text] of files) await write(join(target, name), join(output, name), text);
}
