import { expect, test } from "vitest";
import { factNames, readFact } from "./facts.ts";

interface Row {
  readonly folder: string;
  readonly files: number;
  /** The cases in all files of the folder, where its files are lists. */
  readonly cases?: number;
}

const rows: readonly Row[] = [
  { folder: "definitions", files: 41 },
  { folder: "golden", files: 146 },
  { folder: "rbac", files: 6 },
  { folder: "recorded/apply", files: 7, cases: 106 },
  { folder: "recorded/cel", files: 8, cases: 633 },
  { folder: "recorded/defaulted", files: 51, cases: 91 },
  { folder: "recorded/invalid", files: 65, cases: 1373 },
  { folder: "recorded/patches", files: 4, cases: 113 },
  { folder: "recorded/rbac", files: 2, cases: 43 },
  { folder: "recorded/rest", files: 17, cases: 475 },
  { folder: "scenarios", files: 16, cases: 188 },
  { folder: "kubelet", files: 17, cases: 110 },
];

// Tests take their cases from the files they find: without this, a lost file would lose its tests.
test.each(rows)("facts: $folder is complete", ({ folder, files, cases }) => {
  const names = factNames(folder);
  expect(names).toHaveLength(files);
  if (cases === undefined) return;
  const found = names.flatMap((name) => readFact<unknown[]>(`${folder}/${name}`));
  expect(found).toHaveLength(cases);
});
