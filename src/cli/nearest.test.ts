import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const names = ["data-dir", "secure-port", "bind-address", "v"];

test.each([
  ["secure-prot", "secure-port"],
  ["Secure-Port", "secure-port"],
  ["secure", "secure-port"],
  ["datadir", "data-dir"],
  ["bind-adress", "bind-address"],
  ["kubeconfig", undefined],
  ["x", undefined],
  ["", undefined],
])("nearest: for %s suggests %s", (word, expected) => {
  expect(nearest(word, names)).toBe(expected);
});
