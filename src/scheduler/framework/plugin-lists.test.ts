import { expect, test } from "vitest";
import type { Plugins } from "../configuration/scheduler-configuration.ts";
import type { Plugin } from "./plugin.ts";
import { type PluginLists, pluginLists } from "./plugin-lists.ts";
import { mergedRegistry } from "./registry.ts";

const filterAndScore = (name: string): Plugin => ({
  name,
  filter: () => undefined,
  score: () => 0,
});
const made = new Map<string, Plugin>(
  [
    filterAndScore("A"),
    filterAndScore("B"),
    filterAndScore("C"),
    { name: "Sort", less: () => false },
    { name: "Sort2", less: () => false },
    { name: "Bind", bind: async () => undefined },
  ].map((plugin) => [plugin.name, plugin]),
);
const refs = (...names: string[]) => names.map((name) => ({ name }));
const lists = (plugins: Plugins): PluginLists =>
  pluginLists({ schedulerName: "test", plugins }, made);
const filters = (plugins: Plugins): readonly string[] =>
  lists({
    ...plugins,
    multiPoint: { enabled: [...refs("Sort", "Bind"), ...(plugins.multiPoint?.enabled ?? [])] },
  }).filter.map(({ name }) => name);

test.each<[string, Plugins, string[]]>([
  ["plugins take part wherever they can", { multiPoint: { enabled: refs("A", "B") } }, ["A", "B"]],
  [
    "one that is disabled at a point does not take part there",
    { multiPoint: { enabled: refs("A", "B") }, filter: { disabled: refs("A") } },
    ["B"],
  ],
  [
    "a star disables all but those that are named there",
    {
      multiPoint: { enabled: refs("A", "B") },
      filter: { disabled: refs("*"), enabled: refs("C") },
    },
    ["C"],
  ],
  [
    "those named at the point and everywhere come first, those named there alone last",
    { multiPoint: { enabled: refs("A", "B") }, filter: { enabled: refs("C", "B") } },
    ["B", "A", "C"],
  ],
])("pluginLists: %s", (_, plugins, expected) => {
  expect(filters(plugins)).toEqual(expected);
});

test("pluginLists: the first weight counts, that of the extension point before MultiPoint", () => {
  const { weights } = lists({
    multiPoint: {
      enabled: [...refs("Sort", "Bind", "C"), { name: "A", weight: 3 }, { name: "B", weight: 2 }],
    },
    score: { enabled: [{ name: "A", weight: 7 }] },
  });
  expect(Object.fromEntries(weights)).toEqual({ A: 7, B: 2, C: 1 });
});

test.each<[string, Plugins]>([
  ['FilterPlugin "X" does not exist', { filter: { enabled: refs("X") } }],
  ['plugin "Bind" does not extend FilterPlugin plugin', { filter: { enabled: refs("Bind") } }],
  ['plugin "A" already registered as "FilterPlugin"', { filter: { enabled: refs("A", "A") } }],
  ['plugin "A" already registered as "FilterPlugin"', { multiPoint: { enabled: refs("A", "A") } }],
])("pluginLists: refuses with %s", (message, plugins) => {
  expect(() => filters(plugins)).toThrow(message);
});

test("pluginLists: exactly one QueueSort plugin and at least one Bind plugin are required", () => {
  expect(() => lists({ multiPoint: { enabled: refs("Sort", "Sort2", "Bind") } })).toThrow(
    'only one queue sort plugin required for profile with scheduler name "test", but got 2',
  );
  expect(() => lists({ multiPoint: { enabled: refs("Sort") } })).toThrow(
    'at least one bind plugin is needed for profile with scheduler name "test"',
  );
});

test("mergedRegistry: adds plugins, and rejects a duplicate name", () => {
  const known = { A: () => filterAndScore("A") };
  const added = { B: () => filterAndScore("B") };
  expect(Object.keys(mergedRegistry(known, added))).toEqual(["A", "B"]);
  expect(() => mergedRegistry(known, known)).toThrow("a plugin named A already exists");
});
