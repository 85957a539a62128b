import type { Schema } from "../../../schema/openapi/openapi.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { openApi3Of } from "./convert-openapi.ts";
import { mergeOpenApi2 } from "./merge-openapi.ts";
import { commonPaths, groupPath, openIdMetadataPaths, resourcesPath } from "./openapi-discovery.ts";
import { type Path, type Share, writePaths } from "./openapi-operation.ts";
import { pathsOf, rootOf } from "./openapi-paths.ts";
import { encodeOpenApi2 } from "./openapi-protobuf.ts";
import {
  type GroupVersion,
  type NamedStructs,
  namedStructs,
  writeSchemas,
} from "./openapi-schemas.ts";

export interface OpenApiOptions {
  readonly resources: Pick<Resources, "groups" | "kinds" | "of">;
  /** Hashes a text, with characters that are safe in a URL. */
  readonly hash: (text: string) => string;
  /** The version of the server. */
  readonly version: string;
  /** Whether the server publishes the keys of its service account tokens. */
  readonly hasOpenIdMetadata: boolean;
  /** The documents of other servers; none if not given. */
  readonly remote?: RemoteDocuments;
  /** The time in milliseconds. */
  now(): number;
}

/** The OpenAPI documents of other servers. */
export interface RemoteDocuments {
  /** Grows with every change of them. */
  readonly changes: number;
  /** In OpenAPI 2. */
  v2(): readonly Schema[];
  /** The entries of their indices of OpenAPI 3, by name. */
  v3(): ReadonlyMap<string, unknown>;
  /** The OpenAPI 2 documents of those without OpenAPI 3, by the name that they have there. */
  withoutV3(): ReadonlyMap<string, Schema>;
}

/** An encoded document. */
export interface OpenApiDocument {
  readonly body: Uint8Array;
  readonly etag: string;
  /** When the document was built, in milliseconds. */
  readonly lastModified: number;
}

/** The OpenAPI documents of a server: each is built on first use, and kept. */
export class OpenApi {
  readonly #options: OpenApiOptions;
  /** The resources of which the documents were built; a change rebuilds them. */
  #kinds: readonly AnyKind[] = [];
  /** By the name of the document: `api/v1`, `apis/apps`. */
  #known: ReadonlyMap<string, Source> = new Map();
  readonly #made = new Map<string, OpenApiDocument>();
  #structs: NamedStructs | undefined;
  /** The documents of other servers that were merged into these. */
  #merged = 0;

  constructor(options: OpenApiOptions) {
    this.#options = options;
  }

  /** The whole API in OpenAPI 2, as JSON. */
  v2(): OpenApiDocument {
    this.#follow();
    return this.#keep("v2", () => this.#json(this.#document2()));
  }

  /** The same in gnostic's protobuf. */
  v2Protobuf(): OpenApiDocument {
    this.#follow();
    return this.#keep("v2 protobuf", () => ({
      body: encodeOpenApi2(this.#document2()),
      etag: this.v2().etag,
      lastModified: this.v2().lastModified,
    }));
  }

  /** The index of the OpenAPI 3 documents. */
  v3Index(): OpenApiDocument {
    this.#follow();
    return this.#keep("v3", () => {
      const remote = this.#options.remote?.v3() ?? new Map<string, unknown>();
      const own = [...this.#known.keys(), ...this.#converted().keys()];
      const paths = [...new Set([...own, ...remote.keys()])].sort().map((name) => {
        if (remote.has(name)) return [name, remote.get(name)] as const;
        const { etag } = this.v3(name) ?? { etag: "" };
        return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${etag}` }] as const;
      });
      return this.#json({ paths: Object.fromEntries(paths) });
    });
  }

  /** The document of a version of a group, such as `apis/apps/v1`, in OpenAPI 3. */
  v3(name: string): OpenApiDocument | undefined {
    this.#follow();
    const source = this.#known.get(name);
    if (source) return this.#keep(`v3/${name}`, () => this.#json(this.#document3(source)));
    const converted = this.#converted().get(name);
    return converted && this.#keep(`v3/${name}`, () => this.#json(openApi3Of(converted)));
  }

  /** Drops the documents of groups whose kinds have changed. */
  #follow(): void {
    this.#followRemote();
    const { resources } = this.#options;
    const { kinds } = resources;
    if (kinds === this.#kinds) return;
    const [before, after] = [new Set(this.#kinds), new Set(kinds)];
    const changed = [...this.#kinds, ...kinds].filter(
      (kind) => !before.has(kind) || !after.has(kind),
    );
    const groups = new Set(changed.map(({ group }) => group));
    for (const key of this.#made.keys()) {
      const [, root, group = ""] = key.split("/");
      if (root === undefined || groups.has(root === "apis" ? group : "")) this.#made.delete(key);
    }
    this.#kinds = kinds;
    this.#known = sourcesOf(this.#options);
    this.#structs = undefined;
  }

  /** Drops the documents that other servers have a part in, when these have changed. */
  #followRemote(): void {
    const changes = this.#options.remote?.changes ?? 0;
    if (changes === this.#merged) return;
    for (const key of this.#made.keys())
      if (!key.startsWith("v3/") || !this.#known.has(key.slice("v3/".length)))
        this.#made.delete(key);
    this.#merged = changes;
  }

  #converted(): ReadonlyMap<string, Schema> {
    return this.#options.remote?.withoutV3() ?? none;
  }

  #keep(key: string, make: () => OpenApiDocument): OpenApiDocument {
    const kept = this.#made.get(key);
    if (kept) return kept;
    const document = make();
    this.#made.set(key, document);
    return document;
  }

  #json(document: Schema): OpenApiDocument {
    const text = JSON.stringify(document);
    const { hash, now } = this.#options;
    return { body: encoder.encode(text), etag: hash(text), lastModified: now() };
  }

  #document2(): Schema {
    const sources = [...this.#known.values()];
    const paths = sources.flatMap((source) => source.paths());
    const groupVersions = sources.flatMap((source) => source.groupVersions);
    const shared = new Map<string, Schema>();
    const own = {
      swagger: "2.0",
      info: this.#info(),
      paths: writePaths(paths, 2, sharing(shared, this.#options.hash)),
      definitions: writeSchemas(paths, 2, { ...this.#named(), groupVersions }),
      parameters: Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
      securityDefinitions: { BearerToken: bearerToken },
      security: [{ BearerToken: [] }],
    };
    const remote = this.#options.remote?.v2() ?? [];
    return remote.reduce((merged, document) => mergeOpenApi2(merged, document, "/"), own as Schema);
  }

  #document3({ paths: makePaths, groupVersions, isCustom }: Source): Schema {
    const paths = makePaths();
    const schemas = writeSchemas(paths, 3, { ...this.#named(), groupVersions });
    return {
      openapi: "3.0.0",
      info: isCustom ? customInfo : this.#info(),
      paths: writePaths(paths, 3, (parameter) => parameter),
      components: {
        ...(Object.keys(schemas).length > 0 && { schemas }),
        securitySchemes: { BearerToken: bearerToken },
      },
    };
  }

  #info(): Schema {
    return { title: "Kubernetes", version: this.#options.version };
  }

  #named(): NamedStructs {
    this.#structs ??= namedStructs(this.#options.resources.kinds);
    return this.#structs;
  }
}

const none: ReadonlyMap<string, Schema> = new Map();

/** Upstream's title of documents for custom resources. */
const customInfo: Schema = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

/** The parts of an OpenAPI 3 document. */
interface Source {
  readonly paths: () => readonly Path[];
  readonly groupVersions: readonly GroupVersion[];
  /** Whether it has only custom resources. */
  readonly isCustom?: boolean;
}

function sourcesOf({ resources, hasOpenIdMetadata }: OpenApiOptions): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const [name, path] of [...commonPaths, ...(hasOpenIdMetadata ? openIdMetadataPaths : [])])
    sources.set(name, { paths: () => [path], groupVersions: [] });
  for (const { name: group, versions } of resources.groups) {
    const isDeclared = resources.kinds.some((kind) => kind.group === group && kind.struct);
    if (group !== "" && isDeclared)
      sources.set(`apis/${group}`, { paths: () => [groupPath(group)], groupVersions: [] });
    for (const version of versions) {
      const kinds = resources.of(group, version);
      const isCustom = kinds.every(({ struct }) => struct === undefined);
      sources.set(rootOf({ group, version }).slice(1), {
        paths: () => [
          // The discovery paths of custom resources are not documented.
          ...(isCustom ? [] : [resourcesPath(group, version)]),
          ...kinds.flatMap(pathsOf),
        ],
        groupVersions: [{ group, version }],
        isCustom,
      });
    }
  }
  return sources;
}

/** Moves parameters to `shared`, and returns references to them. */
function sharing(shared: Map<string, Schema>, hash: (text: string) => string): Share {
  const references = new Map<string, Schema>();
  return (parameter) => {
    // kubectl looks for these two in the operation, and does not follow references.
    if (parameter.name === "dryRun" || parameter.name === "fieldValidation") return parameter;
    const text = JSON.stringify(parameter);
    let reference = references.get(text);
    if (!reference) {
      const name = `${parameter.name}-${hash(text).slice(0, 8)}`;
      shared.set(name, parameter);
      reference = { $ref: `#/parameters/${name}` };
      references.set(text, reference);
    }
    return reference;
  };
}

const encoder = new TextEncoder();
const bearerToken = {
  description: "Authentication with a token.",
  type: "apiKey",
  name: "authorization",
  in: "header",
};
