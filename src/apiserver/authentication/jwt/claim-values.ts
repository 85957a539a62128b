import { unescapeName } from "../../../cel/syntax/escape.ts";
import { CelList, CelMap, type CelValue } from "../../../cel/values/cel-value.ts";
import { LazyMap } from "../../../cel/values/lazy-map.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import type { User } from "../../request/identity.ts";

/** The claims of a token as expressions see them: numbers are doubles, and names may be escaped. */
export const claimsValue = (claims: ReadonlyJsonMap): CelValue => rootValue(Object.entries(claims));

/** A user as expressions see it. */
export const userValue = ({ name, uid = "", groups, extra = {} }: User): CelValue =>
  rootValue(Object.entries({ username: name, uid, groups, extra }));

const rootValue = (entries: readonly (readonly [string, unknown])[]): CelValue =>
  new EscapedRoot(new Map(entries.map(([name, value]) => [name, () => claimValue(value)])));

/** The outermost map, in which a name that cannot be unescaped is not found. */
class EscapedRoot extends LazyMap {
  override find(key: CelValue): CelValue | undefined {
    const name = typeof key === "string" ? unescapeName(key) : undefined;
    return name === undefined ? undefined : super.find(name);
  }
}

function claimValue(value: unknown): CelValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return Number(value);
    case "object":
      if (value === null) return null;
      return Array.isArray(value)
        ? new ClaimList(value)
        : new ClaimMap(value as Readonly<Record<string, unknown>>);
    default:
      return null;
  }
}

class ClaimList extends CelList {
  readonly #values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    super();
    this.#values = values;
  }

  override get size(): number {
    return this.#values.length;
  }

  override at(index: number): CelValue {
    return claimValue(this.#values[index]);
  }
}

class ClaimMap extends CelMap {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(members: Readonly<Record<string, unknown>>) {
    super();
    this.#members = members;
  }

  override get size(): number {
    return Object.keys(this.#members).length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    const name = unescapeName(key) ?? key;
    return Object.hasOwn(this.#members, name) ? claimValue(this.#members[name]) : undefined;
  }

  override keys(): readonly CelValue[] {
    return Object.keys(this.#members);
  }
}
