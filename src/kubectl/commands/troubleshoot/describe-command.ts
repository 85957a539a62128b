import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { DescribeContext } from "../../describe/describe-context.ts";
import { findDescriber } from "../../describe/find-describer.ts";
import { ErrorList } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { type Info, kindOf } from "../../resource/info.ts";
import { InfosError, type Result } from "../../resource/result.ts";
import { filenameFlags, filenameQuery, namesFiles } from "../shared/filename-flags.ts";
import { allNamespacesFlags } from "../shared/namespace-flags.ts";
import { chunkSizeFlags, labelSelectorFlags } from "../shared/selector-flags.ts";

const flags = {
  ...filenameFlags("containing the resource to describe"),
  ...labelSelectorFlags,
  ...allNamespacesFlags,
  "show-events": boolFlag({
    default: true,
    usage:
      "Whether the events of the object are shown. By default they are for a single object, not for several objects or a prefix of names.",
  }),
  ...chunkSizeFlags,
};

type DescribeCommandContext = CommandContext<typeof flags>;

export const describeCommand = kubectlCommand({
  name: "describe",
  usage: "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
  short: "Show details of a specific resource or group of resources",
  long: `Show details of a specific resource or group of resources.

Prints what matters of each object in words, together with what belongs to it, such as its events. The objects are one by its name, all of a type, or those that a label selector chooses:

    $ kubectl describe TYPE NAME_PREFIX

looks for an object of exactly this name first. If there is none, all objects whose names begin so are described.

Use "kubectl api-resources" for a complete list of supported resources.`,
  examples: `# Describe a node
kubectl describe nodes worker-1

# Describe a pod
kubectl describe pods/nginx

# Describe the pod of a file
kubectl describe -f pod.json

# Describe all pods
kubectl describe pods

# Describe the pods with the label name=myLabel
kubectl describe pods -l name=myLabel

# Describe all pods of the replica set frontend, since their names begin with its name
kubectl describe pods frontend`,
  flags,
  async run(context) {
    const { flags, args, factory, io } = context;
    const { namespace } = await factory.namespace();
    if (args.length === 0 && !namesFiles(flags))
      throw new Error(
        'You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.\n',
      );
    const found = await findResources(context, {
      args,
      allowsTypeAlone: true,
      ...filenameQuery(flags),
      labelSelector: flags.selector,
      isAllNamespaces: flags["all-namespaces"],
      chunkSize: flags["chunk-size"],
      flattens: true,
      continuesOnError: true,
    });
    const { infos, error } = await foundInfos(found);
    const showsEvents =
      flags["show-events"] &&
      (context.given.has("show-events") || (error === undefined && infos.length <= 1));
    const describing = await describeContext(context, showsEvents);
    if (error && StatusError.is(error, "NotFound") && args.length === 2) {
      await describeMatching(context, describing, error);
      return undefined;
    }
    const errors = error ? [error] : [];
    await describeAll(context, describing, { infos, errors });
    if (infos.length === 0 && errors.length === 0)
      io.stderr.write(
        flags["all-namespaces"]
          ? "No resources found\n"
          : `No resources found in ${namespace} namespace.\n`,
      );
    if (errors.length > 0) throw new ErrorList(errors);
    return undefined;
  },
});

interface FoundInfos {
  readonly infos: readonly Info[];
  readonly error?: Error | undefined;
}

async function foundInfos(found: Result): Promise<FoundInfos> {
  try {
    return { infos: await found.infos() };
  } catch (error) {
    if (error instanceof InfosError) return { infos: error.infos, error: error.reason };
    return { infos: [], error: error as Error };
  }
}

async function describeContext(
  { factory, flags, signal }: DescribeCommandContext,
  showsEvents: boolean,
): Promise<DescribeContext> {
  return new DescribeContext({
    client: await factory.client(),
    clock: factory.clock,
    showsEvents,
    chunkSize: flags["chunk-size"],
    signal,
    onWarning: (text) => factory.warn(text),
  });
}

/** Describes objects one after another; errors are collected, each message once. */
async function describeAll(
  { io, signal }: DescribeCommandContext,
  describing: DescribeContext,
  { infos, errors }: { readonly infos: readonly Info[]; readonly errors: Error[] },
): Promise<void> {
  const messages = new Set<string>();
  let isFirst = true;
  for (const info of infos) {
    try {
      const text = await findDescriber(kindOf(info))(describing, info);
      io.stdout.write(isFirst ? text : `\n\n${text}`);
      isFirst = false;
    } catch (error) {
      signal.throwIfAborted();
      const { message } = error as Error;
      if (!messages.has(message)) errors.push(error as Error);
      messages.add(message);
    }
  }
}

/** Describes the objects of a type whose names begin with the name that was not found. */
async function describeMatching(
  context: DescribeCommandContext,
  describing: DescribeContext,
  notFound: Error,
): Promise<void> {
  const { args, flags, io } = context;
  const [type = "", prefix = ""] = args;
  const found = await findResources(context, {
    args: [type],
    allowsTypeAlone: true,
    isSingleType: true,
    chunkSize: flags["chunk-size"],
    flattens: true,
    enforcesNamespace: false,
  });
  const [kind] = found.kinds;
  if (!kind) throw new Error("expected only a single resource type");
  const matching = (await found.infos()).filter(({ name }) => name.startsWith(prefix));
  if (matching.length === 0) throw notFound;
  for (const info of matching) io.stdout.write(`${await findDescriber(kind)(describing, info)}\n`);
}
