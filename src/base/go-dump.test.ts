import { expect, test } from "vitest";
import { goChecksum, goMap, goPointer, goScalar, goSlice, goString, goStruct } from "./go-dump.ts";

const Assignments = goMap(goMap(goString, "map[string]string"), "map[string]map[string]string");
const Checkpoint = goPointer(
  goStruct<{
    readonly PolicyName: string;
    readonly DefaultCPUSet: string;
    readonly Entries: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly Checksum: number;
  }>("state.CPUManagerCheckpoint", {
    PolicyName: goString,
    DefaultCPUSet: goString,
    Entries: Assignments,
    Checksum: goScalar("checksum.Checksum"),
  }),
);

test("goChecksum: the checksum that every kubelet without a CPU policy writes", () => {
  const value = { PolicyName: "none", DefaultCPUSet: "", Entries: {}, Checksum: 0 };
  expect(goChecksum(Checkpoint, value)).toBe(1353318690);
});

test("goStruct: nested values are printed without types, but for those of fields", () => {
  const Inner = goStruct<{ readonly A: number }>("p.Inner", { A: goScalar("int") });
  const Outer = goStruct<{
    readonly List: readonly string[] | null;
    readonly Nil: readonly string[] | null;
    readonly Map: Readonly<Record<string, { readonly A: number }>>;
    readonly Pointer: { readonly A: number };
  }>("p.Outer", {
    List: goSlice(goString) as never,
    Nil: goSlice(goString) as never,
    Map: goMap(goPointer(Inner), "map[int]*p.Inner", "numbers"),
    Pointer: goPointer(Inner),
  });
  const value = {
    List: ["a", "b"],
    Nil: null,
    Map: { "10": { A: 1 }, "-1": { A: 2 }, "9": { A: 3 } },
    Pointer: { A: 4 },
  };
  expect(Outer.text(value)).toBe(
    "{List:([]string)[a b] Nil:([]string)<nil> Map:(map[int]*p.Inner)map[-1:<*>{A:(int)2} 9:<*>{A:(int)3} 10:<*>{A:(int)1}] Pointer:(*p.Inner){A:(int)4}}",
  );
});
