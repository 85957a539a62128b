import { expect, test } from "vitest";
import type { Endpoint } from "../../api/discovery/v1/endpoint.ts";
import { type PresentSlice, placeEndpoints } from "./place-endpoints.ts";

/** `a` is an endpoint that is ready, `a!` the same one when it is not. */
const endpoint = (text: string): Endpoint => ({
  addresses: [text.replace("!", "")],
  conditions: { ready: !text.endsWith("!") },
});
const endpoints = (text: string): Endpoint[] =>
  text
    .split(" ")
    .filter((one) => one !== "")
    .map(endpoint);
const textOf = (all: readonly Endpoint[]): string =>
  all
    .map(({ addresses, conditions }) => `${addresses[0]}${conditions?.ready ? "" : "!"}`)
    .join(" ");

interface Row {
  readonly name: string;
  readonly wanted: string;
  /** `*` before the name: the slice is written anyway. */
  readonly slices?: Readonly<Record<string, string>>;
  readonly changed?: Readonly<Record<string, string>>;
  readonly emptied?: readonly string[];
  readonly added?: readonly string[];
}

test.each<Row>([
  { name: "nothing wanted, nothing there", wanted: "" },
  { name: "new slices are filled one after the other", wanted: "a b c d", added: ["a b c", "d"] },
  { name: "an endpoint stays in its slice", wanted: "b a", slices: { s: "a b" } },
  {
    name: "a changed endpoint stays in its slice",
    wanted: "a! b",
    slices: { s: "a b", t: "c" },
    changed: { s: "a! b" },
    emptied: ["t"],
  },
  {
    name: "a slice that changes anyway takes what is new",
    wanted: "b c d",
    slices: { s: "a b", t: "c" },
    changed: { s: "b d" },
  },
  {
    name: "of slices that change, the fullest is filled first",
    wanted: "b d e x y",
    slices: { s: "a b", t: "c d e" },
    changed: { s: "b y", t: "d e x" },
  },
  {
    name: "a slice that is written for another reason counts as changed",
    wanted: "a b c",
    slices: { "*s": "a", t: "b" },
    changed: { s: "a c" },
  },
  {
    name: "the rest goes into the fullest slice that has room for all of it",
    wanted: "a b c x",
    slices: { s: "a", t: "b c" },
    changed: { t: "b c x" },
  },
  {
    name: "the rest is not spread over several slices",
    wanted: "a b c d x y",
    slices: { s: "a b", t: "c d" },
    added: ["x y"],
  },
  {
    name: "a full slice of new endpoints is a new slice",
    wanted: "a x y z",
    slices: { s: "a" },
    added: ["x y z"],
  },
  {
    name: "an empty slice is filled",
    wanted: "a b",
    slices: { s: "" },
    changed: { s: "a b" },
  },
  {
    name: "an endpoint in two slices stays in the first",
    wanted: "a b",
    slices: { s: "a", t: "a b" },
    changed: { t: "b" },
  },
  {
    name: "half empty slices are not merged",
    wanted: "a b",
    slices: { s: "a", t: "b" },
  },
  {
    name: "a slice that is fuller than allowed is left as it is",
    wanted: "a b c d x",
    slices: { s: "a b c d" },
    added: ["x"],
  },
])("placeEndpoints: $name", ({ wanted, slices = {}, changed = {}, emptied = [], added = [] }) => {
  const present = Object.entries(slices).map(
    ([name, text]): PresentSlice => ({
      name: name.replace("*", ""),
      endpoints: endpoints(text),
      isDue: name.startsWith("*"),
    }),
  );
  const placement = placeEndpoints(endpoints(wanted), present, 3);
  expect({
    changed: Object.fromEntries(
      Array.from(placement.changed, ([name, all]) => [name, textOf(all)]),
    ),
    emptied: placement.emptied,
    added: placement.added.map(textOf),
  }).toEqual({ changed, emptied, added });
});

test("placeEndpoints: another pod with the same address is another endpoint, another version of a pod is not", () => {
  const of = (name: string, resourceVersion: string): Endpoint => ({
    addresses: ["10.0.0.1"],
    conditions: {},
    targetRef: { kind: "Pod", namespace: "default", name, resourceVersion },
  });
  const slice = { name: "s", endpoints: [of("a", "1")], isDue: false };
  expect(placeEndpoints([of("a", "2")], [slice], 3).changed.size).toBe(0);
  expect(placeEndpoints([of("b", "1")], [slice], 3)).toEqual({
    changed: new Map(),
    emptied: ["s"],
    added: [[of("b", "1")]],
  });
});
