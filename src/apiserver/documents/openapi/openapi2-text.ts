import { DeleteOptions } from "../../../api/meta/v1/options.ts";
import { WatchEvent } from "../../../api/meta/v1/watch-event.ts";
import type { Schema } from "../../../schema/openapi/openapi.ts";
import type { AnyKind } from "../../objects/object.ts";
import { type Path, writePaths } from "./openapi-operation.ts";
import { pathsOf } from "./openapi-paths.ts";
import {
  type GroupVersion,
  inEveryGroup,
  type NamedStructs,
  writeSchemas,
} from "./openapi-schemas.ts";
import {
  type Entries,
  entriesOf,
  type PathTemplate,
  pathTemplate,
  templateKey,
} from "./path-template.ts";
import { sharing } from "./shared-parameters.ts";

/** What an OpenAPI 2 document is written of. */
export interface Content {
  /** The paths that no kind has. */
  readonly paths: readonly Path[];
  readonly kinds: readonly AnyKind[];
  readonly groupVersions: readonly GroupVersion[];
  readonly named: NamedStructs;
}

interface Part {
  readonly paths: Entries;
  readonly definitions: Entries;
  readonly parameters: Entries;
}

/**
 * Writes the paths, definitions and parameters of an OpenAPI 2 document as JSON. The part of a custom kind is written
 * once and kept: with a thousand of them, one that changes costs little.
 */
export class OpenApi2Text {
  readonly #hash: (text: string) => string;
  readonly #templates = new Map<string, PathTemplate>();
  readonly #custom = new WeakMap<AnyKind, Part>();
  /** The part of all that is no custom kind, and what it was written of. */
  #rest: { readonly key: readonly unknown[]; readonly part: Part } | undefined;

  constructor(hash: (text: string) => string) {
    this.#hash = hash;
  }

  /** The members of the document, as JSON. */
  write(content: Content): string {
    const custom = content.kinds.filter(isCustom);
    const rest = this.#restOf(content);
    const parts = [rest, ...custom.map((kind) => this.#partOf(kind))];
    const common = [...rest.definitions, ...referredDefinitions(custom, content.named)];
    const definitions = [
      ...common,
      ...parts.slice(1).flatMap((part) => part.definitions),
      ...entriesOf(inAllGroups(common, content.groupVersions)),
    ];
    return [
      `"paths":${joined(parts.flatMap(({ paths }) => paths))}`,
      `"definitions":${joined(definitions)}`,
      `"parameters":${joined(parts.flatMap(({ parameters }) => parameters))}`,
    ].join();
  }

  #partOf(kind: AnyKind): Part {
    let part = this.#custom.get(kind);
    if (!part) {
      const definitions = entriesOf(Object.entries(kind.schemas?.(2) ?? {}));
      const { parameters, fill } = this.#templateOf(kind);
      part = { paths: fill(kind), definitions, parameters };
      this.#custom.set(kind, part);
    }
    return part;
  }

  #templateOf(kind: AnyKind): PathTemplate {
    const key = templateKey(kind);
    let template = this.#templates.get(key);
    if (!template) {
      template = pathTemplate(kind, this.#hash);
      this.#templates.set(key, template);
    }
    return template;
  }

  #restOf({ paths, kinds, named }: Content): Part {
    const others = kinds.filter((kind) => !isCustom(kind));
    const key = [...paths.map(({ path }) => path), ...others];
    if (this.#rest && isSame(this.#rest.key, key)) return this.#rest.part;
    const own = [...paths, ...others.flatMap(pathsOf)];
    const shared = new Map<string, Schema>();
    const schemas = writeSchemas(own, 2, { ...named, groupVersions: [] });
    const part: Part = {
      paths: entriesOf(Object.entries(writePaths(own, 2, sharing(shared, this.#hash)))),
      definitions: entriesOf(Object.entries(schemas)),
      parameters: entriesOf(shared),
    };
    this.#rest = { key, part };
    return part;
  }
}

/** The definitions that custom kinds refer to beside their own, which are the same for all of one shape. */
function referredDefinitions(custom: readonly AnyKind[], named: NamedStructs): Entries {
  const samples = [...new Map(custom.map((kind) => [templateKey(kind), kind])).values()];
  const own = new Set(samples.flatMap(({ form }) => [form.name, form.listName]));
  const schemas = writeSchemas(samples.flatMap(pathsOf), 2, { ...named, groupVersions: [] });
  return entriesOf(Object.entries(schemas).filter(([name]) => !own.has(name)));
}

/** Whether a kind is known by its schema alone, so that all that differs from others of its shape are names. */
const isCustom = ({ struct, schemas, isStored }: AnyKind): boolean =>
  struct === undefined && schemas !== undefined && isStored;

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/** Definitions that name all versions of groups. */
function* inAllGroups(
  definitions: Entries,
  groupVersions: readonly GroupVersion[],
): Generator<readonly [string, Schema]> {
  for (const { name, shortName } of [DeleteOptions, WatchEvent]) {
    const text = definitions.find(([held]) => held === name)?.[1];
    if (text === undefined) continue;
    const { [name]: schema } = JSON.parse(`{${text}}`) as Record<string, Schema>;
    const kinds = inEveryGroup(shortName, groupVersions);
    yield [name, { ...schema, "x-kubernetes-group-version-kind": kinds }];
  }
}

/** A JSON object of entries in the order of their names; of several of a name the last one counts. */
function joined(entries: Entries): string {
  const texts = new Map(entries);
  return `{${[...texts.keys()]
    .sort()
    .map((name) => texts.get(name))
    .join(",")}}`;
}
