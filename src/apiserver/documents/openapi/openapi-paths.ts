import { apiVersionOf, type ServedKind } from "../../../schema/language/kind.ts";
import { type GroupVersionKind, patchName } from "../../../schema/openapi/openapi.ts";
import type { Method, Operation, Path, Response } from "./openapi-operation.ts";
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  type OpenApiParameter,
  patchParameters,
  prettyParameter,
  versionParameter,
  writeParameters,
} from "./openapi-parameters.ts";
import { type Subresource, subresourceOf } from "./openapi-subresources.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
export const objectTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];
const watchTypes = [
  ...objectTypes,
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const anyType = ["*/*"];
/** The verbs of custom resources, also while they are being deleted. */
const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update"];
const jsonTypes = ["application/json", "application/yaml"];

/** The paths at which a kind is served. */
export function pathsOf(kind: ServedKind): readonly Path[] {
  const { plural } = kind;
  const namespaced = kind.scope === "Namespaced";
  const root = rootOf(kind);
  const base = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const scope = namespaced ? [namespaceParameter] : [];
  const item = [nameParameter(kind.kind), ...scope];
  const words = wordsOf(kind);
  const has = new Set<string>(kind.struct || !kind.isStored ? kind.verbs : allVerbs);
  const forAll = `${namespaced ? "ForAllNamespaces" : ""}`;
  const watch = (path: string, action: string, name: string, parameters: Parameters): Path => ({
    path: path.replace(root, `${root}/watch`),
    operations: [watchOperation(words, { action, name, parameters })],
  });
  // The deprecated watch paths exist only for built-in kinds.
  const watchable = has.has("watch") && kind.struct !== undefined;
  const paths: Path[] = [
    { path: base, operations: collectionOperations(kind, scope, has) },
    { path: `${base}/{name}`, operations: itemOperations(kind, item, has) },
  ];
  if (namespaced && has.has("list"))
    paths.push({
      path: `${root}/${plural}`,
      operations: [listOperation(kind, `${words.kind}${forAll}`, [])],
    });
  if (watchable) {
    const scoped = `${words.namespaced}${words.kind}`;
    paths.push(watch(`${base}/{name}`, "watch", scoped, item));
    paths.push(watch(base, "watchlist", `${scoped}List`, scope));
    if (namespaced)
      paths.push(watch(`${root}/${plural}`, "watchlist", `${words.kind}List${forAll}`, []));
  }
  for (const name of kind.subresources) {
    const subresource = subresourceOf(kind, name);
    if (subresource) paths.push(...subresourcePaths(kind, subresource, `${base}/{name}`));
  }
  return paths.filter(({ operations }) => operations.length > 0);
}

/** `/api/v1`, or `/apis/apps/v1`. */
export const rootOf = (kind: Pick<ServedKind, "group" | "version">): string =>
  `/${kind.group === "" ? "api" : "apis"}/${apiVersionOf(kind)}`;

/** The name of a group in operation names: `rbacAuthorization`. */
export const groupWord = (group: string): string =>
  operationWord(group === "" ? "core" : group.replace(/\.k8s\.io$/, ""));

/** A name without what operation names may not have: what follows such a character is capitalised. */
export function operationWord(name: string): string {
  const [first = "", ...rest] = name.replace(/^\d/, ".").split(/[^a-zA-Z0-9_]+/);
  return first + rest.map(title).join("");
}
export const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

type Parameters = readonly OpenApiParameter[];

/** The parts of the operation names of a kind, and fields of all operations. */
interface Words {
  /** `AppsV1` */
  readonly group: string;
  readonly tag: string;
  readonly namespaced: "Namespaced" | "";
  readonly kind: string;
  readonly gvk: GroupVersionKind;
  /** Whether it is a built-in kind. */
  readonly isDeclared: boolean;
}

function wordsOf({ group, version, kind, scope, struct }: ServedKind): Words {
  const word = groupWord(group);
  return {
    group: `${title(word)}${title(operationWord(version))}`,
    tag: `${word}_${operationWord(version)}`,
    namespaced: scope === "Namespaced" ? "Namespaced" : "",
    kind,
    gvk: { group, kind, version },
    isDeclared: struct !== undefined,
  };
}

function collectionOperations(
  kind: ServedKind,
  scope: Parameters,
  has: ReadonlySet<string>,
): Operation[] {
  const words = wordsOf(kind);
  const name = `${words.namespaced}${words.kind}`;
  const operations: Operation[] = [];
  if (has.has("deletecollection"))
    operations.push(
      operation(words, {
        method: "delete",
        action: "deletecollection",
        id: `delete${words.group}Collection${name}`,
        description: `Deletes the objects of kind ${words.kind} that are selected.`,
        parameters: [
          ...(words.isDeclared ? deleteCollectionParameters : listParameters),
          ...scope,
          prettyParameter,
        ],
        ...(words.isDeclared && { body: { schema: `${meta}.DeleteOptions`, required: false } }),
        responses: answers(`${meta}.Status`, 200),
      }),
    );
  if (has.has("list")) operations.push(listOperation(kind, name, scope));
  if (has.has("create"))
    operations.push(
      operation(words, {
        method: "post",
        action: "post",
        id: `create${words.group}${name}`,
        description: `Creates a ${words.kind}.`,
        parameters: [...writeParameters, ...scope, prettyParameter],
        body: { schema: kind.form.name, required: true },
        responses: answers(kind.form.name, 200, 201, 202),
      }),
    );
  return operations;
}

function listOperation(kind: ServedKind, name: string, scope: Parameters): Operation {
  const words = wordsOf(kind);
  return operation(words, {
    method: "get",
    action: "list",
    id: `list${words.group}${name}`,
    description: `Lists or watches objects of kind ${words.kind}.`,
    parameters: [...listParameters, ...scope, prettyParameter],
    produces: words.isDeclared ? watchTypes : jsonTypes,
    responses: answers(kind.form.listName, 200),
  });
}

function watchOperation(
  words: Words,
  { action, name, parameters }: { action: string; name: string; parameters: Parameters },
): Operation {
  return operation(words, {
    method: "get",
    action,
    id: `watch${words.group}${name}`,
    description: `Watches objects of kind ${words.kind}. Deprecated: use the parameter \`watch\` of lists.`,
    parameters: [...listParameters, ...parameters, prettyParameter],
    produces: watchTypes,
    responses: answers(`${meta}.WatchEvent`, 200),
  });
}

function itemOperations(kind: ServedKind, item: Parameters, has: ReadonlySet<string>): Operation[] {
  const words = wordsOf(kind);
  const operations: Operation[] = [];
  if (has.has("delete"))
    operations.push(
      operation(words, {
        method: "delete",
        action: "delete",
        id: `delete${words.group}${words.namespaced}${words.kind}`,
        description: `Deletes a ${words.kind}.`,
        parameters: [...deleteParameters, ...item, prettyParameter],
        body: { schema: `${meta}.DeleteOptions`, required: false },
        responses: answers(deletedSchema(kind), 200, 202),
      }),
    );
  const verbs = ["get", "patch", "update"].filter((verb) => has.has(verb));
  const whole = { verbs, schema: kind.form.name, gvk: words.gvk, suffix: "", of: "" };
  return [...operations, ...objectOperations(words, whole, item)];
}

/** Upstream documents graceful deletions with a Status, whatever the response is. */
const deletedSchema = ({ strategy, form }: ServedKind): string =>
  strategy.deleteReturnsObject && !strategy.beginDelete ? form.name : `${meta}.Status`;

interface ObjectAccess {
  readonly verbs: readonly string[];
  readonly schema: string;
  readonly gvk: GroupVersionKind;
  /** The suffix of operation names after the kind. */
  readonly suffix: string;
  /** `the status of `, or nothing for the object itself. */
  readonly of: string;
}

/** The operations of one object, or of a subresource with its schema. */
function objectOperations(words: Words, access: ObjectAccess, item: Parameters): Operation[] {
  const { schema, suffix, of, gvk } = access;
  const own = { ...words, gvk };
  const name = `${words.group}${words.namespaced}${words.kind}${suffix}`;
  const scope = [...item, prettyParameter];
  const possible: Record<string, () => Operation> = {
    create: () =>
      operation(own, {
        method: "post",
        action: "post",
        id: `create${name}`,
        description: `Creates ${of}a ${words.kind}.`,
        parameters: [...writeParameters, ...scope],
        body: { schema, required: true },
        responses: answers(schema, 200, 201, 202),
      }),
    get: () =>
      operation(own, {
        method: "get",
        action: "get",
        id: `read${name}`,
        description: `Reads ${of}a ${words.kind}.`,
        parameters: words.isDeclared ? scope : [versionParameter, ...scope],
        responses: answers(schema, 200),
      }),
    patch: () =>
      operation(own, {
        method: "patch",
        action: "patch",
        id: `patch${name}`,
        description: `Changes parts of ${of}a ${words.kind}, or applies it.`,
        parameters: [...patchParameters, ...scope],
        consumes: words.isDeclared
          ? patchTypes
          : patchTypes.filter((type) => !/strategic/.test(type)),
        body: { schema: patchName, required: true },
        responses: words.isDeclared ? answers(schema, 200, 201) : answers(schema, 200),
      }),
    update: () =>
      operation(own, {
        method: "put",
        action: "put",
        id: `replace${name}`,
        description: `Replaces ${of}a ${words.kind}.`,
        parameters: [...writeParameters, ...scope],
        body: { schema, required: true },
        responses: answers(schema, 200, 201),
      }),
  };
  return access.verbs.flatMap((verb) => possible[verb]?.() ?? []);
}

function subresourcePaths(kind: ServedKind, subresource: Subresource, base: string): Path[] {
  const words = wordsOf(kind);
  const scope = kind.scope === "Namespaced" ? [namespaceParameter] : [];
  const path = `${base}/${subresource.name}`;
  const suffix = title(subresource.name);
  if ("schema" in subresource) {
    const item = [nameParameter(subresource.gvk.kind), ...scope];
    const access = { ...subresource, suffix, of: `the ${subresource.name} of ` };
    return [{ path, operations: objectOperations(words, access, item) }];
  }
  const { gvk, parameters, methods, readsText, passesPath } = subresource;
  const item = [nameParameter(gvk.kind), ...scope];
  const connect = (tail: string, more: Parameters): Operation[] =>
    methods.map((method) =>
      operation(
        { ...words, gvk },
        {
          method,
          action: readsText ? "get" : "connect",
          id: readsText
            ? `read${words.group}${words.namespaced}${words.kind}${suffix}`
            : `connect${words.group}${title(method)}${words.namespaced}${words.kind}${suffix}${tail}`,
          description: `${readsText ? "Reads" : `Connects ${method.toUpperCase()} requests to`} the ${subresource.name} of a ${words.kind}.`,
          parameters: [...parameters, ...item, ...more, ...(readsText ? [prettyParameter] : [])],
          produces: readsText ? ["text/plain", ...objectTypes] : anyType,
          responses: answers(undefined, 200),
        },
      ),
    );
  const paths = [{ path, operations: connect("", []) }];
  if (passesPath !== undefined)
    paths.push({ path: `${path}/{path}`, operations: connect("WithPath", [passesPath]) });
  return paths;
}

type OperationParts = Omit<Operation, "tag" | "kind" | "consumes" | "produces"> & {
  readonly method: Method;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
};

const operation = ({ tag, gvk, isDeclared }: Words, parts: OperationParts): Operation => ({
  consumes: isDeclared ? anyType : jsonTypes,
  produces: isDeclared ? objectTypes : jsonTypes,
  ...parts,
  tag,
  kind: gvk,
});

const answers = (schema: string | undefined, ...codes: readonly Response["code"][]): Response[] =>
  codes.map((code) => ({ code, schema }));
