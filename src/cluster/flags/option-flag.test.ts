import { expect, test } from "vitest";
import { intFlag, stringFlag } from "../../cli/flag.ts";
import {
  type FlagGroup,
  flagGroupOptions,
  flagGroupProblems,
  notNegative,
  type OptionFlag,
} from "./option-flag.ts";
import { later } from "./server-flag.ts";

interface Options {
  readonly limits?: { readonly reads?: number; readonly writes?: number };
  readonly names?: readonly string[];
}
interface Values extends Readonly<Record<string, unknown>> {
  readonly reads: number;
  readonly writes: number;
  readonly name: string;
}

const reads: OptionFlag<number, Options> = {
  ...intFlag({ usage: "reads at a time" }),
  sets: (value) => ({ limits: { reads: value } }),
  problems: notNegative,
};
const writes: OptionFlag<number, Options> = {
  ...intFlag({ usage: "writes at a time" }),
  sets: (value) => ({ limits: { writes: value } }),
};
const groups: readonly FlagGroup<Options, Values>[] = [
  { flags: { reads, writes } },
  {
    flags: { name: later("naming", stringFlag({ usage: "a name" })) },
    problems: (values) => (values.writes > values.reads ? ["more writes than reads"] : []),
    sets: async ({ name }) => ({ limits: { reads: 0 }, names: [name] }),
  },
];

test("flagGroupOptions: parts of one object are merged, lists are replaced", async () => {
  expect(await flagGroupOptions(groups, { reads: 2, writes: 1, name: "a" })).toEqual({
    limits: { reads: 0, writes: 1 },
    names: ["a"],
  });
});

test("flagGroupOptions: a flag overrides its group", async () => {
  const group: FlagGroup<Options, Values> = {
    flags: { reads },
    sets: () => ({ limits: { reads: 7, writes: 7 } }),
  };
  expect(await flagGroupOptions([group], { reads: 2, writes: 1, name: "" })).toEqual({
    limits: { reads: 2, writes: 7 },
  });
});

test("flagGroupProblems: problems of flags and groups, and unsupported flags", () => {
  const values = { reads: -1, writes: 0, name: "a" };
  expect(flagGroupProblems(groups, values, new Set(["reads", "name"]))).toEqual([
    "--reads can not be negative value",
    "more writes than reads",
    "--name is not supported yet: naming is not part of this version",
  ]);
});
