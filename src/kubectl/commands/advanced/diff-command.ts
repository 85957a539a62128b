import { boolFlag, intFlag } from "../../../cli/flag.ts";
import type { DiscoveredKind } from "../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { ExitError, usageError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { type Info, isNamespaced, kindOf } from "../../resource/info.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { filenameFlags, filenameQuery, requireFiles } from "../shared/filename-flags.ts";
import { runProgram } from "../shared/run-program.ts";
import { labelSelectorFlags } from "../shared/selector-flags.ts";
import { pruneListFlags, serverSideFlags } from "./apply/apply-flags.ts";
import { allowedKinds } from "./apply/prune-list.ts";
import { DiffFolders } from "./diff/diff-folders.ts";
import { maskSecrets } from "./diff/mask-secrets.ts";
import { objectVersions } from "./diff/merged-object.ts";
import { prunableObjects, type Visited } from "./diff/prunable-objects.ts";

const flags = {
  ...pruneListFlags,
  prune: boolFlag({
    usage:
      "Include objects that pruning would delete. Can be used with -l; without, all objects that were applied are considered.",
  }),
  "show-managed-fields": boolFlag({ usage: "If true, include managed fields in the diff." }),
  "show-secrets": boolFlag({ usage: "If true, do not mask secret values in the diff." }),
  concurrency: intFlag({
    default: 1,
    usage:
      "Number of objects to process at the same time. More is faster, and needs more memory, input and output meanwhile.",
  }),
  ...filenameFlags("contains the configuration to diff"),
  ...serverSideFlags,
  ...fieldManagerFlags("kubectl-client-side-apply"),
  ...labelSelectorFlags,
};

export const diffCommand = kubectlCommand({
  name: "diff",
  usage: "-f FILENAME",
  short: "Diff the live version against a would-be applied version",
  long: `Show what an apply of a configuration would change: the differences between objects as they are and as the server says that they would be.

The output is YAML.

The environment variable KUBECTL_EXTERNAL_DIFF names another program that compares, with arguments, such as KUBECTL_EXTERNAL_DIFF="colordiff -N -u". By default it is the "diff" of your path, with the options "-u" (unified) and "-N" (absent files are empty).

Exit status:
 0
No differences were found.
 1
Differences were found.
 >1
Kubectl or diff failed with an error.

Note: the program of KUBECTL_EXTERNAL_DIFF is expected to follow that convention.`,
  examples: `# Show what a file would change
kubectl diff -f pod.json

# Show what the output of another program would change
cat service.yaml | kubectl diff -f -`,
  flags,
  errorExitOffset: 1,
  async run(context) {
    const { flags, args, path, factory, env } = context;
    if (args.length > 0) throw usageError(path, `Unexpected args: [${args.join(" ")}]`);
    requireFiles(flags);
    if (flags["force-conflicts"] && !flags["server-side"])
      throw new Error("--force-conflicts only works with --server-side");
    await factory.namespace();
    const allowed = flags.prune
      ? await allowedKinds(flags["prune-allowlist"], await factory.mapper())
      : [];
    await using folders = await DiffFolders.open(env);
    await writeVersions(context, folders, allowed);
    await compare(context, folders);
    return undefined;
  },
});

type DiffContext = CommandContext<typeof flags>;

async function writeVersions(
  context: DiffContext,
  folders: DiffFolders,
  allowed: readonly DiscoveredKind[],
): Promise<void> {
  const { flags, io } = context;
  const found = await findResources(context, {
    ...filenameQuery(flags),
    labelSelector: flags.selector,
    flattens: true,
    skipsRequests: true,
  });
  const visited: Visited = { uids: new Set(), namespaces: new Set() };
  const write = async (info: Info): Promise<void> => {
    if (isNamespaced(info)) visited.namespaces.add(info.namespace);
    try {
      await writeObject(context, info, folders);
    } finally {
      const { uid, deletionTimestamp, name } = info.object?.metadata ?? {};
      if (uid !== undefined) visited.uids.add(uid);
      if (deletionTimestamp)
        io.stderr.write(
          `Warning: Detected changes to resource ${name} which is currently being deleted.\n`,
        );
    }
  };
  let failure: Error | undefined;
  try {
    if (flags.concurrency > 1) await inParallel(await found.infos(), flags.concurrency, write);
    else
      await found.visit(async (info, error) => {
        if (error) throw error;
        await write(info);
      });
  } catch (error) {
    failure = error as Error;
  }
  if (flags.prune) {
    const scope = { allowed, selector: flags.selector };
    for (const object of await prunableObjects(context, visited, scope)) {
      const { namespace = "", name = "" } = object.metadata;
      const [version = "", group] = object.apiVersion.split("/").reverse();
      const file = fileName({ group: group ?? "", version, kind: object.kind }, namespace, name);
      await folders.write("live", file, object);
    }
  }
  if (failure) throw failure;
}

async function inParallel<T>(
  items: readonly T[],
  count: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

async function writeObject(context: DiffContext, info: Info, folders: DiffFolders): Promise<void> {
  const { flags, given } = context;
  const isServerSide = flags["server-side"];
  const versions = await objectVersions(info, {
    context,
    isServerSide,
    forceConflicts: flags["force-conflicts"],
    fieldManager: isServerSide && !given.has("field-manager") ? "kubectl" : flags["field-manager"],
  });
  const shown = (object: DynamicObject): DynamicObject =>
    flags["show-managed-fields"] ? object : withoutManagedFields(object);
  const live = versions.live && shown(versions.live);
  const merged = shown(versions.merged);
  const isSecret = merged.kind === "Secret" && /(^|\/)v1$/.test(merged.apiVersion);
  const { before, after } =
    isSecret && !flags["show-secrets"]
      ? maskSecrets(live, merged)
      : { before: live, after: merged };
  const file = fileName(kindOf(info), info.namespace, info.name);
  await folders.write("live", file, before);
  await folders.write("merged", file, after);
}

function withoutManagedFields(object: DynamicObject): DynamicObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const fileName = (
  { group, version, kind }: Pick<DiscoveredKind, "group" | "version" | "kind">,
  namespace: string,
  name: string,
): string => `${group === "" ? "" : `${group}.`}${version}.${kind}.${namespace}.${name}`;

/** Runs the program that compares; its exit code 1 means that there are differences. */
async function compare(context: DiffContext, { live, merged }: DiffFolders): Promise<void> {
  const [program = "", ...options] = (context.env.KUBECTL_EXTERNAL_DIFF ?? "").split(" ");
  const isDefault = program === "" && options.length === 0;
  const name = isDefault ? "diff" : program;
  const args = isDefault
    ? ["-u", "-N", live, merged]
    : [live, merged, ...options.filter((option) => /^[a-zA-Z0-9-=]+$/.test(option))];
  const code = await runProgram(context, name, args).catch((error: Error) => {
    // The original says so of all that cannot be started.
    const why = name === "" ? error.message : "executable file not found in $PATH";
    throw new Error(`failed to run ${JSON.stringify(name)}: ${why}`, { cause: error });
  });
  if (code === 0) return;
  if (code === undefined || code === 1) throw new ExitError(1);
  throw new Error(`failed to run ${JSON.stringify(name)}: exit status ${code}`);
}
