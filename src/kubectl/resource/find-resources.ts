import type { Client } from "../../client/client.ts";
import { NoMatchError } from "../../client/discovery/mapping-errors.ts";
import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import { parseLabelSelector, type Selector } from "../../schema/selectors/label-selector.ts";
import { quote } from "../../schema/values/quote.ts";
import type { CommandContext } from "../program/kubectl-command.ts";
import { readArguments, type TypeAndName } from "./arguments.ts";
import { chooseSource } from "./choose-source.ts";
import { fileVisitors } from "./file-visitors.ts";
import { flattenListVisitor } from "./flatten-list.ts";
import type { HelperOptions } from "./helper.ts";
import { type Info, isList, isNamespaced, kindOf, setRequested } from "./info.ts";
import { infoMaker } from "./info-maker.ts";
import { requestedObject } from "./requested-object.ts";
import { versionedResource } from "./resource-text.ts";
import { Result } from "./result.ts";
import { type SelectedList, selectorVisitor } from "./selector-visitor.ts";
import type { SourceContext, SourceText } from "./sources.ts";
import { requireKnownGroup, typedObject, typedShapeOf, unregisteredKind } from "./typed-object.ts";
import {
  continueOnErrorVisitor,
  decoratedVisitor,
  eagerVisitorList,
  filteredVisitor,
  tracedVisitor,
  type Visit,
  type Visitor,
  visitorList,
} from "./visitor.ts";

/** Which objects a command works on, and how they are read; as the flags and arguments say. */
export interface ResourceQuery {
  /** `TYPE`, `TYPE NAME…` or `TYPE/NAME…`. */
  readonly args?: readonly string[] | undefined;
  /** Whether a type alone means all of its objects. */
  readonly allowsTypeAlone?: boolean | undefined;
  /** Objects that are named by the command itself. */
  readonly named?: readonly TypeAndName[] | undefined;
  readonly filenames?: readonly string[] | undefined;
  /** Texts with objects that are in no file, such as what was edited. */
  readonly texts?: readonly SourceText[] | undefined;
  readonly isRecursive?: boolean | undefined;
  readonly kustomize?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** All objects of the types (`--all`). */
  readonly isAll?: boolean | undefined;
  /** The namespace of objects that name none; that of the context if not given. */
  readonly namespace?: string | undefined;
  readonly isAllNamespaces?: boolean | undefined;
  /** Whether objects of files may only be in that namespace; whether a flag named it if not given. */
  readonly enforcesNamespace?: boolean | undefined;
  /** Whether objects of files get the namespace if they name none; true if not given. */
  readonly defaultsNamespace?: boolean | undefined;
  /** Whether lists are replaced by their items. */
  readonly flattens?: boolean | undefined;
  /** Whether objects of files are replaced by those of the server. */
  readonly isLatest?: boolean | undefined;
  /** Whether objects that are only named are not requested. */
  readonly skipsRequests?: boolean | undefined;
  /** Whether the command goes on after an error. */
  readonly continuesOnError?: boolean | undefined;
  /** Whether only one type may be named. */
  readonly isSingleType?: boolean | undefined;
  /** The size of the pages in which lists are requested. */
  readonly chunkSize?: number | undefined;
  readonly subresource?: string | undefined;
  /** Whether no server is called. */
  readonly isLocal?: boolean | undefined;
  /** Whether objects are read as Go's types: only kinds that the original has types of, only their fields. */
  readonly isTyped?: boolean | undefined;
  /** The scheme of the original's command, as errors name it: kinds that it does not have are refused. */
  readonly scheme?: string | undefined;
  /** Whether the command itself has read standard input. */
  readonly isStdinUsed?: boolean | undefined;
  /** How requests for the objects differ from plain ones: for tables, for example. */
  readonly requests?: Pick<HelperOptions, "accept" | "query"> | undefined;
  /** Checks documents of files before they become objects. */
  readonly validate?: SourceContext["validate"];
}

/** What is needed of the command. */
export type QueryContext = Pick<CommandContext, "factory" | "io" | "cwd" | "signal" | "flags">;

/**
 * Finds the objects of a command. The result goes through them by nested visitors, in the order of the original:
 * decorators, errors that are kept, lists that are flattened, then files, selectors or names.
 */
export async function findResources(context: QueryContext, query: ResourceQuery): Promise<Result> {
  const search = await openSearch(context, query);
  const found = await search.run();
  return search.result(found);
}

/** The visitors of a query, and what is known of them. */
interface Found {
  readonly visitor: Visitor;
  /** Whether the query names single objects, not all that match. */
  readonly targetsSingleItems: boolean;
  /** Whether the result is one object, not a list. */
  readonly isSingleItem: boolean;
  /** The lists of selectors, for watches. */
  readonly lists: readonly SelectedList[];
  /** The number of files, lists or names. */
  readonly sourceCount: number;
  /** The kinds of what is not from files. */
  readonly kinds: readonly DiscoveredKind[];
}

const manyTypes = "you may only specify a single resource type";

async function openSearch(context: QueryContext, query: ResourceQuery) {
  const { factory, io, cwd, signal } = context;
  const verbosity = Number((context.flags as { readonly v?: number }).v ?? 0);
  const log = (text: string): void => {
    if (verbosity >= 9) io.stderr.write(`${text}\n`);
  };
  const isLocal = query.isLocal ?? false;
  const isStdinUsed = (query.isStdinUsed || query.filenames?.includes("-")) ?? false;
  const maker = infoMaker(factory, { isLocal, isTyped: query.isTyped, isStdinUsed });
  const place = isLocal
    ? { namespace: query.namespace ?? "default", isGiven: false }
    : await factory.namespace();
  const namespace = query.isAllNamespaces ? "" : (query.namespace ?? place.namespace);
  const enforces = query.enforcesNamespace ?? place.isGiven;
  const client = (): Promise<Client> => {
    if (isStdinUsed) factory.useStdin();
    return factory.client();
  };
  const requests: HelperOptions = {
    ...query.requests,
    signal,
    onWarning: (text) => factory.warn(text),
  };
  const sourceContext: SourceContext = {
    maker,
    stdin: io.stdin,
    cwd,
    factory,
    validate: query.validate,
    warn: (line) => io.stderr.write(`${line}\n`),
    log,
  };
  const refresh = async (info: Info): Promise<void> => {
    const object = await requestedObject(await client(), info, requests);
    if (query.scheme !== undefined) requireKnownGroup(object, query.scheme);
    setRequested(info, query.isTyped ? await typedObject(object) : object);
  };
  const labelSelector = query.labelSelector?.trim() ?? "";
  const fieldSelector = query.fieldSelector?.trim() ?? "";
  const listed = (visitors: readonly Visitor[]): Visitor =>
    tracedVisitor(query.continuesOnError ? eagerVisitorList(visitors) : visitorList(visitors), log);

  const byFiles = async (): Promise<Found> => {
    const read = await fileVisitors(query, sourceContext);
    let visitor = listed(read.visitors);
    if (query.flattens) visitor = tracedVisitor(flattenListVisitor(visitor, maker), log);
    if (query.isLatest) {
      const latest = async (info: Info): Promise<void> => {
        if (isList(info.object))
          throw new Error(
            "watch is only supported on individual resources and resource collections, but a list of resources is found",
          );
        if (info.name === "") return;
        if (isNamespaced(info) && info.namespace === "")
          throw new Error(
            `no namespace set on resource ${versionedResource(kindOf(info))} ${quote(info.name)}`,
          );
        await refresh(info);
      };
      const inNamespace = query.defaultsNamespace === false ? [] : [withNamespace(namespace)];
      visitor = tracedVisitor(decoratedVisitor(visitor, [...inNamespace, latest]), log);
    }
    if (labelSelector !== "") {
      const selector = parsedSelector(labelSelector);
      const passes = ({ object }: Info): boolean => selector.matches(object?.metadata.labels);
      visitor = tracedVisitor(filteredVisitor(visitor, passes), log);
    }
    const { isSingleItem } = read;
    const sourceCount = read.visitors.length;
    return { visitor, targetsSingleItems: true, isSingleItem, lists: [], kinds: [], sourceCount };
  };

  const bySelector = async (types: readonly string[]): Promise<Found> => {
    if (types.length === 0)
      throw new Error("at least one resource must be specified to use a selector");
    if (query.subresource)
      throw new Error("subresource cannot be used when bulk resources are specified");
    const kinds = await kindsOf(types, query, factory);
    const lists = await Promise.all(
      kinds.map(async (kind) =>
        selectorVisitor({
          client: await client(),
          kind,
          namespace: kind.scope === "Namespaced" ? namespace : "",
          labelSelector,
          fieldSelector,
          chunkSize: query.chunkSize ?? 0,
          requests,
        }),
      ),
    );
    const visitor = listed(
      lists.map((list) =>
        tracedVisitor(query.isTyped ? decoratedVisitor(list, [requireListType]) : list, log),
      ),
    );
    const sourceCount = lists.length;
    return { visitor, targetsSingleItems: false, isSingleItem: false, lists, kinds, sourceCount };
  };

  const byName = async (pairs: readonly TypeAndName[]): Promise<Found> => {
    const kinds = new Map<string, DiscoveredKind>();
    for (const type of new Set(pairs.map((pair) => pair.type)))
      kinds.set(type, await kindNamed(type, factory));
    const distinct = new Set([...kinds.values()].map(({ group, plural }) => `${plural}.${group}`));
    if (query.isSingleType && distinct.size > 1) throw new Error(manyTypes);
    const infos = pairs.map(({ type, name }): Info => {
      const kind = kinds.get(type);
      const hasNamespace = kind?.scope === "Namespaced";
      if (hasNamespace && namespace === "")
        throw new Error(
          query.isAllNamespaces
            ? "a resource cannot be retrieved by name across all namespaces"
            : "namespace may not be empty when retrieving a resource by name",
        );
      return {
        kind,
        namespace: hasNamespace ? namespace : "",
        name,
        source: "",
        object: undefined,
        resourceVersion: "",
        subresource: query.subresource ?? "",
      };
    });
    const visitors = infos.map((info) =>
      tracedVisitor({ name: "Info", visit: async (fn: Visit) => fn(info) }, log),
    );
    const isSingleItem = pairs.length === 1;
    return {
      visitor: listed(visitors),
      targetsSingleItems: true,
      isSingleItem,
      lists: [],
      kinds: [...kinds.values()],
      sourceCount: infos.length,
    };
  };

  return {
    async run(): Promise<Found> {
      const given = await readArguments(query.args ?? [], {
        program: "kubectl",
        categories: (name) => categoryOf(name, query, factory),
      });
      // Files that do not exist are reported before arguments that files exclude.
      if ((query.filenames?.length ?? 0) > 0 && (query.args?.length ?? 0) > 0)
        await fileVisitors(query, sourceContext);
      const source = chooseSource(query, given);
      if (source.by === "files") return byFiles();
      if (source.by === "selector") return bySelector(source.types);
      if (source.by === "names") return byName(source.pairs);
      for (const type of source.types) await kindNamed(type, factory);
      throw new Error("resource(s) were provided, but no name was specified");
    },

    result(found: Found): Result {
      let { visitor } = found;
      if (query.flattens) visitor = tracedVisitor(flattenListVisitor(visitor, maker), log);
      const decorators: Visit[] = [];
      if (query.defaultsNamespace !== false) decorators.push(withNamespace(namespace));
      if (enforces && !query.isAllNamespaces) decorators.push(onlyNamespace(namespace));
      decorators.push(withoutNamespace);
      if (!query.skipsRequests)
        decorators.push(async (info) => {
          if (info.object === undefined) await refresh(info);
        });
      if (query.continuesOnError) visitor = tracedVisitor(continueOnErrorVisitor(visitor), log);
      visitor = tracedVisitor(decoratedVisitor(visitor, decorators), log);
      return new Result({ ...found, visitor, client, requests });
    },
  };
}

function parsedSelector(text: string): Selector {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw new Error(
      `the provided selector ${quote(text)} is not valid: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** The resources of a category such as `all`, as types; undefined if there is no such category. */
async function categoryOf(
  name: string,
  { isLocal }: ResourceQuery,
  factory: QueryContext["factory"],
): Promise<string | undefined> {
  if (isLocal) return undefined;
  const discovery = await factory.discovery();
  const apis = await discovery.apis().catch((error: unknown) => {
    factory.logUnreachable(error, 1);
    return undefined;
  });
  const members = (apis?.resources ?? []).filter(({ categories }) => categories.includes(name));
  if (members.length === 0) return undefined;
  return members
    .map(({ group, plural }) => (group === "" ? plural : `${plural}.${group}`))
    .join(",");
}

async function kindsOf(
  types: readonly string[],
  { isSingleType }: ResourceQuery,
  factory: QueryContext["factory"],
): Promise<readonly DiscoveredKind[]> {
  if (isSingleType && types.length > 1) throw new Error(manyTypes);
  const kinds = new Map<string, DiscoveredKind>();
  for (const type of types) {
    const kind = await kindNamed(type, factory);
    kinds.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
  }
  return [...kinds.values()];
}

/** The kind of a type that was typed. */
async function kindNamed(
  type: string,
  factory: Pick<QueryContext["factory"], "mapper" | "logUnreachable">,
): Promise<DiscoveredKind> {
  try {
    return await (await factory.mapper()).named(type);
  } catch (error) {
    // A name that may contain a version is searched in one more way.
    factory.logUnreachable(error, type.split(".").length > 2 ? 6 : 4);
    if (!(error instanceof NoMatchError)) throw error;
    throw new Error(error.message, { cause: error });
  }
}

/** Refuses lists of kinds that the original has no Go types of. */
async function requireListType(info: Info): Promise<void> {
  const { group, version, kind } = kindOf(info);
  if (!(await typedShapeOf({ group, version, kind })))
    throw unregisteredKind(`${kind}List`, `${group}/${version}`);
}

/** Sets the namespace of objects that name none. */
function withNamespace(namespace: string): Visit {
  return (info) => {
    if (!isNamespaced(info) || info.namespace !== "") return;
    info.namespace = namespace;
    setNamespace(info, namespace);
  };
}

/** Refuses objects of other namespaces. */
export function onlyNamespace(namespace: string): Visit {
  return (info) => {
    if (!isNamespaced(info)) return;
    if (info.namespace === "") {
      info.namespace = namespace;
      setNamespace(info, namespace);
    } else if (info.namespace !== namespace)
      throw new Error(
        `the namespace from the provided object ${quote(info.namespace)} does not match the namespace ${quote(namespace)}. You must pass '--namespace=${info.namespace}' to perform this operation.`,
      );
  };
}

/** Removes the namespace of objects that have none by their kind. */
function withoutNamespace(info: Info): void {
  if (isNamespaced(info)) return;
  info.namespace = "";
  setNamespace(info, "");
}

function setNamespace(info: Info, namespace: string): void {
  const { object } = info;
  if (object === undefined || (object.metadata?.namespace ?? "") === namespace) return;
  const { namespace: _, ...rest } = object.metadata ?? {};
  const metadata = namespace === "" ? rest : { ...rest, namespace };
  info.object = { ...object, metadata };
}
