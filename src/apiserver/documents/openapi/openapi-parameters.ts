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

// Single instances: shared parameters of a path are found by identity.

export const namespaceParameter = inPath("namespace", "The namespace of the object.");
export const proxyPathParameter = inPath("path", "The path of the proxied request.");
export const prettyParameter = query(
  "pretty",
  "string",
  "`true`: indent the response. The default for browsers and command line tools.",
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

const dryRun = query("dryRun", "string", "`All`: process the request, but do not store anything.");
const fieldManager = query(
  "fieldManager",
  "string",
  "The manager of the changed fields, for server-side apply.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "How unknown and duplicate fields are handled: `Ignore`, `Warn` (the default) or `Strict`.",
);
const force = query("force", "boolean", "Whether apply takes over fields of other managers.");

/** The version that a response must have reached. */
export const versionParameter = query(
  "resourceVersion",
  "string",
  "The minimum version of the response, or the start of a watch.",
);
const selection = [
  query("continue", "string", "The continue token of the previous page."),
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
  query("limit", "integer", "The maximum number of objects in a page."),
  versionParameter,
  query(
    "resourceVersionMatch",
    "string",
    "How resourceVersion is interpreted: `Exact` or `NotOlderThan`.",
  ),
  query("sendInitialEvents", "boolean", "Whether a watch begins with the existing objects."),
  query("shardSelector", "string", "The requested shard of the objects."),
  query("timeoutSeconds", "integer", "Seconds after which the request ends."),
];
const deletion = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Seconds of grace; 0 deletes at once."),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Whether to delete an object that cannot be decoded.",
  ),
  query("orphanDependents", "boolean", "Deprecated: whether dependents are orphaned."),
  query(
    "propagationPolicy",
    "string",
    "How dependents are handled: `Orphan`, `Background` or `Foreground`.",
  ),
];

export const writeParameters = [dryRun, fieldManager, fieldValidation];
export const patchParameters = [...writeParameters, force];
export const deleteParameters = deletion;
export const listParameters = byName([
  ...selection,
  query("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks."),
  query(
    "watch",
    "boolean",
    "Watch for changes to the described resources: each is sent as it happens, instead of a list.",
  ),
]);
export const deleteCollectionParameters = byName([...deletion, ...selection]);

const container = query("container", "string", "The container; by default the only one.");
const stdin = query("stdin", "boolean", "Whether standard input is passed on.");
const stdout = query("stdout", "boolean", "Whether standard output is passed on.");
const stderr = query("stderr", "boolean", "Whether standard error is passed on.");
const tty = query("tty", "boolean", "Whether the streams are a terminal.");

export const attachParameters = [container, stderr, stdin, stdout, tty];
export const execParameters = [
  query("command", "string", "The command and its arguments; it is not run in a shell."),
  ...attachParameters,
];
export const portForwardParameters = [
  query("ports", "integer", "The ports to forward; WebSocket needs them."),
];
export const proxyParameters = [query("path", "string", "The path of the proxied request.")];
export const logParameters = [
  query("container", "string", "The container of the log; by default the only one."),
  query("follow", "boolean", "Whether to follow the log."),
  query(
    "insecureSkipTLSVerifyBackend",
    "boolean",
    "Whether to skip the verification of the kubelet's certificate.",
  ),
  query("limitBytes", "integer", "The maximum number of bytes to send."),
  query("previous", "boolean", "Whether to read the log of the previous container."),
  query("sinceSeconds", "integer", "The age in seconds of the first line."),
  query("stream", "string", "`All`, `Stdout` or `Stderr`."),
  query("tailLines", "integer", "The number of last lines."),
  query("timestamps", "boolean", "Whether each line begins with its time."),
];

function byName(parameters: readonly OpenApiParameter[]): readonly OpenApiParameter[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));
}
