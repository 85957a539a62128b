import type { Schema } from "../../../schema/openapi/openapi.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { openApi3Of } from "./convert-openapi.ts";
import { mergeOpenApi2 } from "./merge-openapi.ts";
import { commonPaths, groupPath, openIdMetadataPaths, resourcesPath } from "./openapi-discovery.ts";
import { type Path, writePaths } from "./openapi-operation.ts";
import { pathsOf, rootOf } from "./openapi-paths.ts";
import { encodeOpenApi2 } from "./openapi-protobuf.ts";
import {
  type GroupVersion,
  type NamedStructs,
  namedStructs,
  writeSchemas,
} from "./openapi-schemas.ts";
import { OpenApi2Text } from "./openapi2-text.ts";
import { sharing } from "./shared-parameters.ts";

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
  readonly #hashes = new WeakMap<AnyKind, string>();
  #structs: NamedStructs | undefined;
  readonly #written: OpenApi2Text;
  /** The documents of other servers that were merged into these. */
  #merged = 0;

  constructor(options: OpenApiOptions) {
    this.#options = options;
    this.#written = new OpenApi2Text(options.hash);
  }

  /** The whole API in OpenAPI 2, as JSON. */
  v2(): OpenApiDocument {
    this.#follow();
    return this.#keep("v2", () => this.#encoded(this.#text2()));
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
        const etag = this.#etagOf(name);
        return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${etag}` }] as const;
      });
      return this.#json({ paths: Object.fromEntries(paths) });
    });
  }

  /** The document of a version of a group, such as `apis/apps/v1`, in OpenAPI 3. */
  v3(name: string): OpenApiDocument | undefined {
    this.#follow();
    const source = this.#known.get(name);
    if (source)
      return this.#keep(`v3/${name}`, () => {
        const document = this.#json(this.#document3(source));
        const etag = this.#customEtag(source);
        return etag === undefined ? document : { ...document, etag };
      });
    const converted = this.#converted().get(name);
    return converted && this.#keep(`v3/${name}`, () => this.#json(openApi3Of(converted)));
  }

  #etagOf(name: string): string {
    const source = this.#known.get(name);
    return (source && this.#customEtag(source)) ?? this.v3(name)?.etag ?? "";
  }

  /**
   * The etag of a document of custom resources, made of their definitions: an index would need all documents
   * otherwise. Besides, it depends on a built-in document, which another version of this program writes differently.
   */
  #customEtag({ kinds, isCustom, groupVersions }: Source): string | undefined {
    if (!isCustom || kinds.length === 0) return undefined;
    const hashes = kinds.map((kind) => this.#definitionHash(kind));
    if (hashes.includes(undefined)) return undefined;
    const builtIn = [...this.#known].find(
      ([, source]) => !source.isCustom && source.kinds.length > 0,
    );
    const common = builtIn && this.v3(builtIn[0])?.etag;
    return this.#options.hash(JSON.stringify([common, groupVersions, hashes]));
  }

  #definitionHash(kind: AnyKind): string | undefined {
    let known = this.#hashes.get(kind);
    if (known === undefined && kind.definedBy) {
      known = this.#options.hash(JSON.stringify(kind.definedBy()));
      this.#hashes.set(kind, known);
    }
    return known;
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
    return this.#encoded(JSON.stringify(document));
  }

  #encoded(text: string): OpenApiDocument {
    const { hash, now } = this.#options;
    return { body: encoder.encode(text), etag: hash(text), lastModified: now() };
  }

  /** The whole API in OpenAPI 2, without making objects of what has not changed. */
  #text2(): string {
    const remote = this.#options.remote?.v2() ?? [];
    if (remote.length > 0) return JSON.stringify(this.#document2());
    const sources = [...this.#known.values()];
    const members = this.#written.write({
      paths: sources.flatMap((source) => source.fixedPaths()),
      kinds: sources.flatMap(({ kinds }) => kinds),
      groupVersions: sources.flatMap(({ groupVersions }) => groupVersions),
      named: this.#named(),
    });
    const { swagger, info, ...security } = this.#frame2();
    const [before, after] = [JSON.stringify({ swagger, info }), JSON.stringify(security)];
    return `${before.slice(0, -1)},${members},${after.slice(1)}`;
  }

  #frame2(): Schema {
    return {
      swagger: "2.0",
      info: this.#info(),
      securityDefinitions: { BearerToken: bearerToken },
      security: [{ BearerToken: [] }],
    };
  }

  #document2(): Schema {
    const sources = [...this.#known.values()];
    const paths = sources.flatMap(pathsOfSource);
    const groupVersions = sources.flatMap((source) => source.groupVersions);
    const shared = new Map<string, Schema>();
    const { swagger, info, ...security } = this.#frame2();
    const own = {
      swagger,
      info,
      paths: writePaths(paths, 2, sharing(shared, this.#options.hash)),
      definitions: writeSchemas(paths, 2, { ...this.#named(), groupVersions }),
      parameters: Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...security,
    };
    const remote = this.#options.remote?.v2() ?? [];
    return remote.reduce((merged, document) => mergeOpenApi2(merged, document, "/"), own as Schema);
  }

  #document3(source: Source): Schema {
    const { groupVersions, isCustom } = source;
    const paths = pathsOfSource(source);
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
  /** The paths that are no kind's. */
  readonly fixedPaths: () => readonly Path[];
  readonly kinds: readonly AnyKind[];
  readonly groupVersions: readonly GroupVersion[];
  /** Whether it has only custom resources. */
  readonly isCustom?: boolean;
}

const pathsOfSource = ({ fixedPaths, kinds }: Source): readonly Path[] => [
  ...fixedPaths(),
  ...kinds.flatMap(pathsOf),
];

function sourcesOf({ resources, hasOpenIdMetadata }: OpenApiOptions): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const [name, path] of [...commonPaths, ...(hasOpenIdMetadata ? openIdMetadataPaths : [])])
    sources.set(name, { fixedPaths: () => [path], kinds: [], groupVersions: [] });
  for (const { name: group, versions } of resources.groups) {
    const isDeclared = resources.kinds.some((kind) => kind.group === group && kind.struct);
    if (group !== "" && isDeclared)
      sources.set(`apis/${group}`, {
        fixedPaths: () => [groupPath(group)],
        kinds: [],
        groupVersions: [],
      });
    for (const version of versions) {
      const kinds = resources.of(group, version);
      const isCustom = kinds.every(({ struct }) => struct === undefined);
      sources.set(rootOf({ group, version }).slice(1), {
        // The discovery paths of custom resources are not documented.
        fixedPaths: () => (isCustom ? [] : [resourcesPath(group, version)]),
        kinds,
        groupVersions: [{ group, version }],
        isCustom,
      });
    }
  }
  return sources;
}

const encoder = new TextEncoder();
const bearerToken = {
  description: "Authentication with a token.",
  type: "apiKey",
  name: "authorization",
  in: "header",
};
