import type { Client } from "../../client/client.ts";
import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import type { WatchStream } from "../../client/watch-stream.ts";
import { ErrorList } from "../program/command-error.ts";
import { type HelperOptions, helper } from "./helper.ts";
import { type Info, isList, kindOf } from "./info.ts";
import type { SelectedList } from "./selector-visitor.ts";
import type { Visit, Visitor } from "./visitor.ts";

interface ResultParts {
  readonly visitor: Visitor;
  readonly targetsSingleItems: boolean;
  readonly isSingleItem: boolean;
  readonly lists: readonly SelectedList[];
  /** The number of files, lists or names. */
  readonly sourceCount: number;
  readonly kinds: readonly DiscoveredKind[];
  readonly client: () => Promise<Client>;
  readonly requests: HelperOptions;
}

/** The objects that a query finds. They are requested and read while they are visited. */
export class Result {
  readonly #parts: ResultParts;
  readonly #ignored: ((error: Error) => boolean)[] = [];
  #infos: Promise<readonly Info[]> | undefined;

  constructor(parts: ResultParts) {
    this.#parts = parts;
  }

  /** Whether the query names single objects, not all that match. */
  get targetsSingleItems(): boolean {
    return this.#parts.targetsSingleItems;
  }

  /** Whether the result is one object, not a list. */
  get isSingleItem(): boolean {
    return this.#parts.isSingleItem;
  }

  /** The kinds of objects that are not from files. */
  get kinds(): readonly DiscoveredKind[] {
    return this.#parts.kinds;
  }

  /** Leaves out such errors from what `visit` and `infos` throw. */
  ignoreErrors(matches: (error: Error) => boolean): this {
    this.#ignored.push(matches);
    return this;
  }

  /** Calls a function with each object, in order. */
  async visit(fn: Visit): Promise<void> {
    try {
      await this.#parts.visitor.visit(fn);
    } catch (error) {
      const left = this.#withoutIgnored(error as Error);
      if (left) throw left;
    }
  }

  /** All objects; throws an `InfosError` with those that were found if an object failed. */
  infos(): Promise<readonly Info[]> {
    this.#infos ??= this.#collect();
    return this.#infos;
  }

  async #collect(): Promise<readonly Info[]> {
    const infos: Info[] = [];
    try {
      await this.visit((info) => {
        infos.push(info);
      });
    } catch (error) {
      if (infos.length === 0) throw error;
      throw new InfosError(infos, error as Error);
    }
    return infos;
  }

  /** The one object, or a list of all of them. */
  async object(): Promise<DynamicObject> {
    const infos = await this.infos();
    const objects = infos.flatMap(({ object }) => (object ? [object] : []));
    const [only] = objects;
    if (objects.length === 1 && only && (this.isSingleItem || isList(only))) return only;
    const versions = new Set(infos.map(({ resourceVersion }) => resourceVersion));
    const [version = ""] = versions.size === 1 ? versions : [];
    return listOf(objects, version);
  }

  /** Watches the one list or object from a version on. */
  async watch(resourceVersion: string): Promise<WatchStream<DynamicObject>> {
    const { lists, sourceCount, client, requests } = this.#parts;
    const [list] = lists;
    if (sourceCount !== 1)
      throw new Error("you may only watch a single resource or type of resource at a time");
    if (list) return list.watch(resourceVersion);
    const infos = await this.infos();
    const [info] = infos;
    if (info === undefined || infos.length !== 1)
      throw new Error(
        `watch is only supported on individual resources and resource collections - ${infos.length} resources were found`,
      );
    const fieldSelector = `metadata.name=${info.name}`;
    const requested = helper(await client(), kindOf(info), requests);
    return requested.watch(info.namespace, { resourceVersion, fieldSelector });
  }

  #withoutIgnored(error: Error): Error | undefined {
    if (this.#ignored.some((matches) => matches(error))) return undefined;
    if (!(error instanceof ErrorList)) return error;
    const left = error.errors.flatMap((one) => this.#withoutIgnored(one) ?? []);
    return left.length > 0 ? new ErrorList(left) : undefined;
  }
}

/** Some objects were found, others failed. */
export class InfosError extends Error {
  override readonly name = "InfosError";
  readonly infos: readonly Info[];
  readonly reason: Error;

  constructor(infos: readonly Info[], reason: Error) {
    super(reason.message, { cause: reason });
    this.infos = infos;
    this.reason = reason;
  }
}

/** A list of objects of any kinds. */
export function listOf(objects: readonly DynamicObject[], resourceVersion = ""): DynamicObject {
  return {
    apiVersion: "v1",
    items: objects,
    kind: "List",
    metadata: { resourceVersion },
  } as unknown as DynamicObject;
}
