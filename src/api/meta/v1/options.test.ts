import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import {
  type DeleteOptions,
  type PatchOptions,
  validateDeleteOptions,
  validatePatchOptions,
  validateWriteOptions,
} from "./options.ts";
import { validateTableOptions } from "./table.ts";

const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};

test("validateWriteOptions: each of the queries takes certain values", () => {
  const options = { fieldManager: "\u0001", dryRun: ["All", "none"], fieldValidation: "Lax" };
  expect(errors((at) => validateWriteOptions(options, at))).toEqual([
    'fieldManager: Invalid value: "\\x01": invalid character U+0001 (at position 0)',
    'dryRun: Unsupported value: ["All","none"]: supported values: "All"',
    'fieldValidation: Unsupported value: "Lax": supported values: "", "Ignore", "Strict", "Warn"',
  ]);
});

const patches: readonly [options: PatchOptions, apply: boolean, errors: readonly string[]][] = [
  [{ fieldManager: "a", force: true }, true, []],
  [{}, true, ["fieldManager: Required value: is required for apply patch"]],
  [{ force: false }, false, ["force: Forbidden: may not be specified for non-apply patch"]],
];

test("validatePatchOptions: apply has a manager, and alone may be forced", () => {
  expect(
    patches.map(([options, apply]) => errors((at) => validatePatchOptions(options, apply, at))),
  ).toEqual(patches.map(([, , expected]) => expected));
});

const unsafe = "ignoreStoreReadErrorWithClusterBreakingPotential";
const deletions: readonly [options: DeleteOptions, errors: readonly string[]][] = [
  [{ propagationPolicy: "Orphan", gracePeriodSeconds: 0 }, []],
  [
    { propagationPolicy: "Sideways", orphanDependents: true },
    [
      'propagationPolicy: Invalid value: "Sideways": orphanDependents and deletionPropagation cannot be both set',
      'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
  ],
  [
    { [unsafe]: true, dryRun: ["All"], preconditions: {} },
    [
      `${unsafe}: Invalid value: true: cannot be set together with .dryRun`,
      `${unsafe}: Invalid value: true: cannot be set together with .preconditions`,
    ],
  ],
];

test("validateDeleteOptions: some of the options exclude each other", () => {
  expect(deletions.map(([options]) => errors((at) => validateDeleteOptions(options, at)))).toEqual(
    deletions.map(([, expected]) => expected),
  );
});

test("validateTableOptions: rows may have the object, its metadata or nothing", () => {
  expect([
    errors((at) => validateTableOptions({ includeObject: "None" }, at)),
    errors((at) => validateTableOptions({ includeObject: "All" }, at)),
  ]).toEqual([
    [],
    ["includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or empty"],
  ]);
});
