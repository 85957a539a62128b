import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { sleep } from "../../../base/clock.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../cli/flag.ts";
import { decodeResponse } from "../../../client/decode-response.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { type QueryParameters, resourcePath } from "../../../client/resource-path.ts";
import { quote } from "../../../schema/values/quote.ts";
import { exitIfInterrupted, usageError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { namesOfType } from "../../resource/arguments.ts";
import { findResources } from "../../resource/find-resources.ts";
import { isList } from "../../resource/info.ts";
import { kubectlScheme } from "../../resource/typed-object.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { podRunningTimeout, podRunningTimeoutFlags } from "../shared/pods/workload-pods.ts";
import { labelSelectorFlags } from "../shared/selector-flags.ts";
import { checkLogFlags, logQuery } from "./log-query.ts";
import { type LogSource, logSources } from "./log-sources.ts";

const usage = "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]";
const usageProblem = `expected 'logs ${usage}'.\nPOD or TYPE/NAME is a required argument for the logs command`;

const flags = {
  "all-pods": boolFlag({ usage: "Get logs from all pods of the object. Implies --prefix." }),
  "all-containers": boolFlag({ usage: "Get the logs of all containers of the pods." }),
  follow: boolFlag({ short: "f", usage: "Keep printing what the containers write." }),
  timestamps: boolFlag({ usage: "Print the time before each line" }),
  "limit-bytes": intFlag({ usage: "The most bytes of a log to print. Defaults to no limit." }),
  previous: boolFlag({
    short: "p",
    usage: "Print the log of the instance of the container that ran before, if there is one.",
  }),
  tail: intFlag({
    default: -1,
    usage:
      "How many of the last lines to print. Defaults to all lines (-1), and to 10 with a selector.",
  }),
  "ignore-errors": boolFlag({
    usage: "Go on after errors of single logs while following or reading them",
  }),
  "since-time": stringFlag({
    usage: "Only print lines written after this time (RFC3339). Excludes --since.",
  }),
  since: durationFlag({
    usage: "Only print lines newer than a duration like 5s, 2m, or 3h. Excludes --since-time.",
  }),
  container: stringFlag({ short: "c", usage: "Print the log of this container" }),
  "insecure-skip-tls-verify-backend": boolFlag({
    usage:
      "Let the server read from a kubelet whose certificate it cannot verify, such as an expired one. An attacker could then send false logs.",
  }),
  ...podRunningTimeoutFlags(20_000),
  ...labelSelectorFlags,
  "max-log-requests": intFlag({
    default: 5,
    usage: "How many logs may be followed at once.",
  }),
  prefix: boolFlag({ usage: "Print the name of the pod and the container before each line" }),
};

export const logsCommand = kubectlCommand({
  name: "logs",
  usage,
  short: "Print the logs for a container in a pod",
  long: "Print the logs of a container in a pod, or of a resource that has pods.\n\nThe name of the container may be left out if the pod has one container only.",
  examples: `# Print the log of the only container of the pod nginx
kubectl logs nginx

# Print the log of the pod nginx, and stop at a server error
kubectl logs nginx --ignore-errors=false

# Print the logs of all containers of the pods with the label app=nginx
kubectl logs -l app=nginx --all-containers=true

# Follow the log of the container ruby in the pod web-1
kubectl logs -f -c ruby web-1

# Print the last 20 lines
kubectl logs --tail=20 nginx

# Print what was written in the last hour
kubectl logs --since=1h nginx

# Print the log of the first container of a job
kubectl logs job/hello`,
  flags,
  async run(context) {
    const { args, given, flags, factory, io } = context;
    const [first = "", second = ""] = args;
    if ((args.length === 0 && flags.selector === "") || args.length > 2)
      throw usageError(context.path, usageProblem);
    if (args.length === 1 && flags.selector !== "")
      throw usageError(context.path, "only a selector (-l) or a POD name is allowed");
    const container = args.length === 2 ? second : flags.container;
    const timeoutMs = podRunningTimeout(flags);
    const query = logQuery(flags, given.has("tail"));
    const object = await findObject(context, first);
    const isFlag = given.has("container");
    if (flags.selector !== "" && isList(object) && object.items.length === 0) {
      const { namespace } = await factory.namespace();
      io.stderr.write(`No resources found in ${namespace} namespace.\n`);
    }
    checkLogFlags(flags, { container, isFlag, args: args.length });

    const sources = await logSources(context, object, {
      container,
      allContainers: flags["all-containers"],
      allPods: flags["all-pods"],
      timeoutMs,
    });
    const options: ReadOptions = {
      query,
      timeoutMs,
      follows: flags.follow,
      ignoresErrors: flags["ignore-errors"],
      hasPrefix: flags.prefix || flags["all-pods"],
    };
    try {
      await printLogs(context, sources, options);
    } catch (error) {
      exitIfInterrupted(context.signal);
      throw error;
    }
    return undefined;
  },
});

type LogsContext = CommandContext<typeof flags>;

async function findObject(context: LogsContext, name: string): Promise<DynamicObject> {
  const { factory, flags } = context;
  const { namespace } = await factory.namespace();
  const bySelector = flags.selector !== "";
  try {
    const found = await findResources(context, {
      named: name === "" ? [] : namesOfType("pods", [name]),
      ...(bySelector && { args: ["pods"], labelSelector: flags.selector }),
      isSingleType: true,
      enforcesNamespace: false,
      scheme: kubectlScheme,
    });
    const [info, ...others] = await found.infos();
    if (!info?.object || (!bySelector && others.length > 0)) throw new Error("expected a resource");
    return info.object;
  } catch (error) {
    if (!StatusError.is(error, "NotFound")) throw error;
    throw new Error(
      `error from server (NotFound): ${error.message} in namespace ${quote(namespace)}`,
      { cause: error },
    );
  }
}

interface ReadOptions {
  readonly query: QueryParameters;
  readonly timeoutMs: number;
  readonly follows: boolean;
  readonly ignoresErrors: boolean;
  readonly hasPrefix: boolean;
}

async function printLogs(
  context: LogsContext,
  sources: readonly LogSource[],
  options: ReadOptions,
): Promise<void> {
  if (!options.follows || sources.length < 2) {
    for (const source of sources) await printLog(context, source, options);
    return;
  }
  const most = context.flags["max-log-requests"];
  if (sources.length > most)
    throw new Error(
      `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${most}, use --max-log-requests to increase the limit`,
    );
  await Promise.all(sources.map((source) => printLog(context, source, options)));
}

/** Prints a log. One that is followed is requested again while the server rejects the request. */
async function printLog(
  context: LogsContext,
  source: LogSource,
  options: ReadOptions,
): Promise<void> {
  const { io, factory, signal } = context;
  const { follows, ignoresErrors, timeoutMs } = options;
  const deadline = factory.clock.now() + timeoutMs;
  for (;;) {
    try {
      return await copyLog(context, source, options);
    } catch (error) {
      signal.throwIfAborted();
      const { message } = error as Error;
      if (ignoresErrors) return io.stdout.write(`error: ${message}\n`);
      if (!follows) throw error;
      io.stderr.write(`${message}\n`);
      if (!(error instanceof StatusError)) throw error;
    }
    await sleep(factory.clock, retryMs, signal);
    if (factory.clock.now() >= deadline) throw new Error("context deadline exceeded");
  }
}

const retryMs = 1000;

/** Copies a log to the output line by line, so that logs which are followed together do not mix within lines. */
async function copyLog(
  { factory, io, signal }: LogsContext,
  { namespace, pod, container }: LogSource,
  { query, hasPrefix }: ReadOptions,
): Promise<void> {
  const client = await factory.client();
  const response = await client.raw({
    method: "GET",
    path: resourcePath(knownKinds.pod, { namespace, name: pod, subresource: "log" }),
    query: { container, ...query },
    headers: { accept: "application/json, */*" },
    signal,
  });
  const onWarning = (text: string): void => factory.warn(text);
  if (response.status >= 300) await decodeResponse(response, { onWarning });
  const prefix = hasPrefix ? Buffer.from(`[pod/${pod}/${container}] `) : undefined;
  let rest: Uint8Array = new Uint8Array(0);
  const write = (line: Uint8Array): void =>
    io.stdout.write(prefix ? Buffer.concat([prefix, line]) : line);
  for await (const chunk of response.bytes()) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(newline) + 1;
    rest = bytes.slice(end);
    if (prefix) for (const line of linesOf(bytes.subarray(0, end))) write(line);
    else if (end > 0) write(bytes.subarray(0, end));
  }
  if (rest.length > 0) write(rest);
}

const newline = 10;

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start) + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}
