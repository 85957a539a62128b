import type { Client } from "../../client/client.ts";
import { decodeResponse } from "../../client/decode-response.ts";
import type { DiscoveryCache } from "../../client/discovery/discovery-cache.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";

/** The OpenAPI documents of a server. */
export interface OpenapiV3 {
  /** The document of a group and version; undefined if the server has none. */
  document(version: {
    readonly group: string;
    readonly version: string;
  }): Promise<OpenapiDocument | undefined>;
}

/** What commands read of a document. */
export interface OpenapiDocument {
  readonly paths?: Readonly<Record<string, OpenapiPath | undefined>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenapiSchema | undefined>> };
}

export interface OpenapiPath {
  readonly patch?: OpenapiOperation;
}

export interface OpenapiOperation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly content?: ReadonlyJsonMap };
  readonly "x-kubernetes-group-version-kind"?: OpenapiKind;
}

export interface OpenapiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type OpenapiSchema = ReadonlyJsonMap;

/** Requests each document once. Documents with a hash in their URL never change, and are kept in the cache. */
export function createOpenapiV3(client: Client, cache: DiscoveryCache | undefined): OpenapiV3 {
  let paths: Promise<ReadonlyMap<string, string>> | undefined;
  const documents = new Map<string, Promise<OpenapiDocument | undefined>>();

  const request = async (url: string, accept: string): Promise<unknown> => {
    const [path = "", query = ""] = url.split("?");
    const response = await client.raw({
      method: "GET",
      path,
      query: { ...Object.fromEntries(new URLSearchParams(query)), timeout: "32s" },
      headers: { accept },
    });
    const value = await decodeResponse(response);
    return typeof value === "string" ? (JSON.parse(value) as unknown) : value;
  };
  const load = async (name: string): Promise<OpenapiDocument | undefined> => {
    paths ??= request("/openapi/v3", "application/json, */*").then(pathsOf);
    const url = (await paths).get(name);
    if (url === undefined) return undefined;
    const hash = new URLSearchParams(url.split("?")[1]).get("hash");
    const file = hash === null ? undefined : `openapi-v3/${hash}.json`;
    const kept = file === undefined ? undefined : await cache?.read(file);
    if (kept !== undefined) return kept as OpenapiDocument;
    const document = (await request(url, "application/json")) as OpenapiDocument;
    if (file !== undefined) await cache?.write(file, document);
    return document;
  };

  return {
    document({ group, version }) {
      const name = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      let document = documents.get(name);
      if (!document) {
        document = load(name);
        documents.set(name, document);
      }
      return document;
    },
  };
}

function pathsOf(value: unknown): ReadonlyMap<string, string> {
  const { paths = {} } = (value ?? {}) as {
    readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
  };
  return new Map(
    Object.entries(paths).map(([name, { serverRelativeURL = "" }]) => [name, serverRelativeURL]),
  );
}

/** The operation that patches objects of a kind. */
export function patchOperation(
  { paths = {} }: OpenapiDocument,
  kind: OpenapiKind,
): OpenapiOperation | undefined {
  for (const path of Object.values(paths)) {
    const operation = path?.patch;
    const of = operation?.["x-kubernetes-group-version-kind"];
    if (of && isSameKind(of, kind)) return operation;
  }
  return undefined;
}

/** Whether both name the same kind. */
export const isSameKind = (a: OpenapiKind, b: OpenapiKind): boolean =>
  a.group === b.group && a.version === b.version && a.kind === b.kind;
