/** A parameter of a path or query. */
export interface OpenApiParameter {
  readonly type: "boolean" | "integer" | "string";
  readonly description: string;
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: true;
}

type Type = OpenApiParameter["type"];

const query = (name: string, type: Type, description: string): OpenApiParameter => ({
  type,
  description,
  name,
  in: "query",
});
const inPath = (name: string, description: string): OpenApiParameter => ({
  type: "string",
  description,
  name,
  in: "path",
  required: true,
});

// One object each: what all operations of a path share is found by identity.

export const namespaceParameter = inPath("namespace", "The namespace of the object.");
export const proxyPathParameter = inPath("path", "The path that the request goes on to.");
export const prettyParameter = query(
  "pretty",
  "string",
  "`true`: indent the answer. Browsers and command line tools get it indented unasked.",
);

const nameParameters = new Map<string, OpenApiParameter>();
/** The name of an object of a kind. */
export function nameParameter(kind: string): OpenApiParameter {
  let parameter = nameParameters.get(kind);
  if (!parameter) {
    parameter = inPath("name", `The name of the ${kind}.`);
    nameParameters.set(kind, parameter);
  }
  return parameter;
}

const dryRun = query("dryRun", "string", "`All`: do everything but keep nothing.");
const fieldManager = query(
  "fieldManager",
  "string",
  "Who makes the change, for server-side apply.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What becomes of unknown and duplicate fields: `Ignore`, `Warn` (the default) or `Strict`.",
);
const force = query("force", "boolean", "Whether apply takes fields that others manage.");

const selection = [
  query("continue", "string", "Where the page begins, from the page before."),
  query(
    "fieldSelector",
    "string",
    "Limits the list of returned objects to those whose fields have these values.",
  ),
  query(
    "labelSelector",
    "string",
    "Limits the list of returned objects to those whose labels match.",
  ),
  query("limit", "integer", "How many objects a page has at most."),
  query("resourceVersion", "string", "How old the answer may be, or where a watch begins."),
  query(
    "resourceVersionMatch",
    "string",
    "How resourceVersion is meant: `Exact` or `NotOlderThan`.",
  ),
  query("sendInitialEvents", "boolean", "Whether a watch begins with what there is."),
  query("shardSelector", "string", "Which shard of the objects is asked for."),
  query("timeoutSeconds", "integer", "Seconds after which the request ends."),
];
const deletion = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Seconds of grace; 0 deletes at once."),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Whether an object that cannot be read is deleted nevertheless.",
  ),
  query("orphanDependents", "boolean", "Older way to ask that dependents are kept."),
  query(
    "propagationPolicy",
    "string",
    "What becomes of the dependents: `Orphan`, `Background` or `Foreground`.",
  ),
];

export const writeParameters = [dryRun, fieldManager, fieldValidation];
export const patchParameters = [...writeParameters, force];
export const deleteParameters = deletion;
export const listParameters = byName([
  ...selection,
  query("allowWatchBookmarks", "boolean", "Whether a watch may tell of versions without a change."),
  query(
    "watch",
    "boolean",
    "Watch for changes to the described resources: each is sent as it happens, instead of a list.",
  ),
]);
export const deleteCollectionParameters = byName([...deletion, ...selection]);

const container = query("container", "string", "The container; the only one if not given.");
const stdin = query("stdin", "boolean", "Whether standard input is passed on.");
const stdout = query("stdout", "boolean", "Whether standard output is passed on.");
const stderr = query("stderr", "boolean", "Whether standard error is passed on.");
const tty = query("tty", "boolean", "Whether the streams are a terminal.");

export const attachParameters = [container, stderr, stdin, stdout, tty];
export const execParameters = [
  query("command", "string", "The command and its arguments; it is no shell's."),
  ...attachParameters,
];
export const portForwardParameters = [
  query("ports", "integer", "The ports to forward; WebSocket needs them."),
];
export const proxyParameters = [query("path", "string", "The path that the request goes on to.")];
export const logParameters = [
  query("container", "string", "The container whose log is read; the only one if not given."),
  query("follow", "boolean", "Whether to go on as the log grows."),
  query(
    "insecureSkipTLSVerifyBackend",
    "boolean",
    "Whether the kubelet's certificate is taken unseen.",
  ),
  query("limitBytes", "integer", "How many bytes are sent at most."),
  query("previous", "boolean", "Whether the log of the container before the last restart is read."),
  query("sinceSeconds", "integer", "How many seconds back the log begins."),
  query("stream", "string", "`All`, `Stdout` or `Stderr`."),
  query("tailLines", "integer", "How many lines from the end the log begins."),
  query("timestamps", "boolean", "Whether each line begins with its time."),
];

function byName(parameters: readonly OpenApiParameter[]): readonly OpenApiParameter[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));
}
