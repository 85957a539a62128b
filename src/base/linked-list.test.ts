import { expect, test } from "vitest";
import { LinkedList } from "./linked-list.ts";

function listOf(...names: readonly string[]) {
  const list = new LinkedList<string>();
  return { list, links: names.map((name) => list.add(name)) };
}

test.each([
  [[], "abc"],
  [[0], "bc"],
  [[1], "ac"],
  [[2], "ab"],
  [[1, 0], "c"],
  [[0, 2], "b"],
  [[0, 1, 2], ""],
  [[2, 1, 0], ""],
  [[1, 1, 1], "ac"],
])(
  "LinkedList: what is left without %j stays in order, and takes more at its end",
  (removed, left) => {
    const { list, links } = listOf("a", "b", "c");
    for (const index of removed) list.remove(links[index] as (typeof links)[number]);
    expect([list.values().join(""), list.first?.value ?? ""]).toEqual([left, left.slice(0, 1)]);
    list.add("d");
    expect(list.values().join("")).toEqual(`${left}d`);
  },
);

test("LinkedList: a list that was cleared is empty, and its links can be removed again", () => {
  const { list, links } = listOf("a", "b");
  list.clear();
  list.add("c");
  for (const link of links) list.remove(link);
  expect(list.values()).toEqual(["c"]);
});
