import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { type ReadonlyJsonMap as JsonMap, sameJson } from "../json/json-value.ts";
import { apply, ShapeError } from "./field-manager.ts";
import { sameSet } from "./field-set.test-support.ts";
import { type FieldSet, hasPath, pathsOf } from "./field-set.ts";
import { readFields, writeFields } from "./fields-v1.ts";
import type { Path } from "./path-element.ts";
import { ownersOf, thing, thingOf, writer } from "./thing.test-support.ts";
import { fieldSetOf } from "./to-field-set.ts";
import { ConflictError } from "./updater.ts";

const rounds = 1_000;

/** Random things from a seed, small enough to collide often. */
function generator(seed: number) {
  const random = new SeededRandom(seed);
  const below = (count: number) => Math.floor(random.next() * count);
  const some = <T>(items: readonly T[]): T[] => items.filter(() => below(2) === 0);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const map = (names: readonly string[]) =>
    Object.fromEntries(some(names).map((name) => [name, String(below(3))]));
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [random.next(), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  const port = (number: number) => ({
    port: number,
    ...(below(2) === 0 && { protocol: pick(["TCP", "UDP"]) }),
    ...(below(2) === 0 && { name: String(below(3)) }),
    ...(below(3) === 0 && { labels: map(["a", "b"]) }),
  });
  const fields: Readonly<Record<string, () => unknown>> = {
    size: () => below(3),
    note: () => String(below(3)),
    args: () => some(["a", "b", "c"]),
    groups: () => shuffled(some(["a", "b", "c", "d"])),
    ports: () => shuffled(some([1, 2, 3])).map(port),
    whole: () => map(["a", "b"]),
    labels: () => map(["a", "b", "c"]),
    reference: () => map(["name", "key"]),
    free: () => pick([1, "x", { a: 1 }, [1, { b: 2 }]]),
  };
  const spec = (names: readonly string[] = Object.keys(fields)): JsonMap =>
    Object.fromEntries(some(names).map((name) => [name, fields[name]?.()]));
  return { spec, below, pick, some, names: Object.keys(fields) };
}

const applyAs = (manager: string, live: JsonMap | undefined, spec: JsonMap): JsonMap =>
  apply(writer(manager), live, { config: thingOf(spec), force: true });

/** An object to which some managers have applied something. */
function history({ spec, below, pick }: ReturnType<typeof generator>): JsonMap | undefined {
  let live: JsonMap | undefined;
  for (let step = below(5); step > 0; step--) live = applyAs(pick(["x", "y", "z"]), live, spec());
  return live;
}

describe("apply, of random things", () => {
  test("the same configuration twice changes nothing", () => {
    const random = generator(1);
    for (let round = 0; round < rounds; round++) {
      const config = random.spec();
      const once = applyAs("a", history(random), config);
      const again = apply(writer("a", { now: "2027-01-01T00:00:00Z" }), once, {
        config: thingOf(config),
        force: false,
      });
      expect(again).toEqual(once);
    }
  });

  test("managers with disjoint fields commute", () => {
    const random = generator(2);
    for (let round = 0; round < rounds; round++) {
      const mine = random.some(random.names);
      const theirs = random.names.filter((name) => !mine.includes(name));
      const [a, b] = [random.spec(mine), random.spec(theirs)];
      // An object that nobody has applied to is owned by who was before: one does own it.
      const config = thingOf({}, { labels: { w: "1" } });
      const live = apply(writer("w"), history(random), { config, force: true });
      const ab = applyAs("b", applyAs("a", live, a), b);
      const ba = applyAs("a", applyAs("b", live, b), a);
      expect(sameJson(ab.spec, ba.spec)).toBe(true);
      expect(ownersOf(ab)).toEqual(ownersOf(ba));
    }
  });

  test("what a manager applied alone disappears when it stops applying it, and nothing else does", () => {
    const random = generator(3);
    for (let round = 0; round < rounds; round++) {
      const live = history(random) ?? thingOf({}, { uid: "u" });
      const before = applyAs("a", live, random.spec());
      const { spec: _, ...nothing } = thingOf({});
      const after = apply(writer("a"), before, { config: nothing, force: false });
      const owners = ownersOf(before);
      const mine = readFields(owners.a);
      const others = Object.entries(owners)
        .filter(([name]) => name !== "a")
        .map(([, fields]) => readFields(fields));
      const [was, left] = [fieldSetOf(thing, before), fieldSetOf(thing, after)];
      const alone = pathsOf(mine).filter((path) => isAlone(path, others));
      expect(alone.filter((path) => hasPath(left, path))).toEqual([]);
      const theirs = others.flatMap((set) => pathsOf(set)).filter((path) => hasPath(was, path));
      expect(theirs.filter((path) => !hasPath(left, path))).toEqual([]);
      expect(ownersOf(after).a).toBe(undefined);
    }
  });

  test("without force a configuration is applied or conflicts, and a conflict is another's field", () => {
    const random = generator(4);
    let conflicts = 0;
    for (let round = 0; round < rounds; round++) {
      const live = history(random);
      try {
        apply(writer("a"), live, { config: thingOf(random.spec()), force: false });
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        conflicts++;
        const owners = ownersOf(live ?? { metadata: {} });
        for (const { manager, path } of error.conflicts) {
          const { manager: name } = JSON.parse(manager) as { manager: string };
          expect(hasPath(readFields(owners[name]), path)).toBe(true);
        }
      }
    }
    expect(conflicts).toBeGreaterThan(100);
  });

  test("sets are written and read without loss", () => {
    const random = generator(5);
    for (let round = 0; round < rounds; round++) {
      const set = fieldSetOf(thing, thingOf(random.spec()));
      const written = JSON.parse(JSON.stringify(writeFields(set))) as unknown;
      expect(sameSet(readFields(written), set)).toBe(true);
    }
  });

  test("no configuration makes it throw anything but what it says", () => {
    const random = generator(6);
    const junk = [
      null,
      1,
      -1.5,
      "x",
      true,
      [],
      {},
      [null],
      [[1]],
      [{}],
      { a: null },
      ["a", "a"],
      [{ port: 1 }, { port: 1 }],
    ];
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const spec = { ...random.spec(), [random.pick(random.names)]: random.pick(junk) };
      try {
        apply(writer("a"), history(random), {
          config: thingOf(spec),
          force: random.below(2) === 0,
        });
      } catch (error) {
        expect(error instanceof ShapeError || error instanceof ConflictError).toBe(true);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});

/** Whether nobody else has a say in a path, nor in what is below it. */
function isAlone(path: Path, others: readonly FieldSet[]): boolean {
  return others.every((set) => {
    let node: FieldSet | undefined = set;
    for (const step of path) node = node?.children.get(step);
    return node === undefined && !hasPath(set, path);
  });
}
