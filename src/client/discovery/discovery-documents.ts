import type {
  APIGroup,
  APIGroupList,
  APIResource,
  APIResourceList,
  APIVersions,
} from "../../api/meta/v1/discovery.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";

/** The `Accept` header: aggregated discovery first, then plain JSON for servers without it. */
export const discoveryAccept = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** The discovery document at `/api` or `/apis`. */
export interface RootDocument {
  readonly groups: readonly APIGroup[];
  /** By `GROUP/VERSION`; undefined if the server sent an unaggregated document. */
  readonly resources: ReadonlyMap<string, APIResourceList> | undefined;
  readonly failures: ReadonlyMap<string, Error>;
}

/**
 * Whether a response is an aggregated document; proxies may have dropped parameters of the content type.
 */
export function isAggregated(contentType: string, value: unknown): boolean {
  if ((value as { readonly kind?: string } | undefined)?.kind === "APIGroupDiscoveryList")
    return true;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const given = new Set(parameters.map((parameter) => parameter.replaceAll('"', "")));
  return (
    type.toLowerCase() === "application/json" &&
    given.has("g=apidiscovery.k8s.io") &&
    (given.has("v=v2") || given.has("v=v2beta1")) &&
    given.has("as=APIGroupDiscoveryList")
  );
}

/** Decodes an unaggregated document: `/api` lists versions, `/apis` lists groups. */
export function plainDocument(root: "/api" | "/apis", value: unknown): RootDocument {
  const failures = new Map<string, Error>();
  if (root === "/apis")
    return {
      groups: (value as Partial<APIGroupList>).groups ?? [],
      resources: undefined,
      failures,
    };
  const { versions } = value as Partial<APIVersions>;
  const listed = (versions ?? []).map((version) => ({ groupVersion: version, version }));
  const [preferredVersion] = listed;
  const core = preferredVersion ? [{ name: "", versions: listed, preferredVersion }] : [];
  return { groups: core, resources: undefined, failures };
}

/** Decodes an aggregated document; versions marked as stale become failures. */
export function aggregatedDocument(value: unknown): RootDocument {
  const groups: APIGroup[] = [];
  const resources = new Map<string, APIResourceList>();
  const failures = new Map<string, Error>();
  for (const { metadata, versions = [] } of (value as AggregatedList).items ?? []) {
    const name = metadata?.name ?? "";
    const current: APIGroup["versions"][number][] = [];
    for (const { version, resources: found = [], freshness } of versions) {
      const groupVersion = apiVersionOf({ group: name, version });
      if (freshness === "Stale") {
        failures.set(groupVersion, new Error(`stale GroupVersion discovery: ${groupVersion}`));
        continue;
      }
      current.push({ groupVersion, version });
      const listed = found.flatMap(entriesOf);
      resources.set(groupVersion, { ...listMeta, groupVersion, resources: listed });
    }
    const preferredVersion = current[0] ?? { groupVersion: "", version: "" };
    groups.push({ name, versions: current, preferredVersion });
  }
  return { groups, resources, failures };
}

const listMeta = { kind: "APIResourceList", apiVersion: "v1" } as const;

interface ResponseKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}
interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: ResponseKind | null;
  readonly scope?: "Namespaced" | "Cluster";
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: ResponseKind | null;
    readonly verbs?: readonly string[];
  }[];
}
interface AggregatedList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly AggregatedResource[];
      readonly freshness?: string;
    }[];
  }[];
}

/**
 * Converts a resource and its subresources to the entries of an unaggregated list; entries without a
 * kind are skipped.
 */
function entriesOf(found: AggregatedResource): APIResource[] {
  const { resource, singularResource = "", verbs = [], shortNames, categories } = found;
  const shared = { singularName: singularResource, namespaced: found.scope === "Namespaced" };
  const entries: APIResource[] = [];
  if (hasKind(found.responseKind))
    entries.push({
      name: resource,
      ...shared,
      ...kindOf(found.responseKind),
      verbs,
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
    });
  for (const { subresource, responseKind, verbs = [] } of found.subresources ?? [])
    if (hasKind(responseKind))
      entries.push({
        name: `${resource}/${subresource}`,
        ...shared,
        ...kindOf(responseKind),
        verbs,
      });
  return entries;
}

const hasKind = (given: ResponseKind | null | undefined): given is ResponseKind =>
  Boolean(given?.group || given?.version || given?.kind);

const kindOf = ({ group, version, kind = "" }: ResponseKind) => ({
  ...(group && { group }),
  ...(version && { version }),
  kind,
});
