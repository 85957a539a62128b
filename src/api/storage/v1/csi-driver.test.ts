import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { write } from "../../write.test-support.ts";
import { createErrors, read, updateErrors } from "../storage-object.test-support.ts";
import { CSIDriver } from "./csi-driver.ts";

for (const recorded of recordedCases("csidrivers"))
  test(`CSIDriver: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(CSIDriver as never, recorded);
  });

const driver = (spec: object = {}) => ({ spec });

each<[rule: string, object: object, errors: readonly string[]]>([
  ["nothing needs to be said", driver(), []],
  [
    "an audience that comes again is not looked at any further",
    driver({ tokenRequests: [{ audience: "" }, { audience: "", expirationSeconds: 1 }] }),
    ['spec.tokenRequests[1].audience: Duplicate value: ""'],
  ],
  [
    "a token holds for ten minutes at least",
    driver({ tokenRequests: [{ audience: "a", expirationSeconds: 599 }] }),
    [
      "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
    ],
  ],
  [
    "a token holds for 2^32 seconds at most",
    driver({
      tokenRequests: [
        { audience: "a", expirationSeconds: 2 ** 32 },
        { audience: "b", expirationSeconds: 2 ** 32 + 1 },
      ],
    }),
    [
      "spec.tokenRequests[1].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
    ],
  ],
  [
    "each mode is known, in the order of upstream's list",
    driver({ volumeLifecycleModes: ["Ephemeral", "Other"] }),
    [
      'spec.volumeLifecycleModes: Unsupported value: "Other": supported values: "Persistent", "Ephemeral"',
    ],
  ],
  [
    "a policy for groups is not empty",
    driver({ fsGroupPolicy: "" }),
    [
      'spec.fsGroupPolicy: Unsupported value: "": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ],
  ],
  [
    "nodes are not asked too often",
    driver({ nodeAllocatableUpdatePeriodSeconds: 9 }),
    [
      "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds",
    ],
  ],
  [
    "tokens among the secrets are asked for, even where the answer is no",
    driver({ serviceAccountTokenInSecrets: false }),
    [
      "spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified",
    ],
  ],
])("CSIDriver: %s", (_, object, errors) => {
  expect(createErrors(CSIDriver, object)).toEqual(errors);
});

each<[rule: string, object: object, old: object, errors: readonly string[]]>([
  [
    "the order of modes counts",
    driver({ volumeLifecycleModes: ["Ephemeral", "Persistent"] }),
    driver({ volumeLifecycleModes: ["Persistent", "Ephemeral"] }),
    ['spec.volumeLifecycleModes: Invalid value: ["Ephemeral","Persistent"]: field is immutable'],
  ],
  [
    "all else may change",
    driver({ podInfoOnMount: true, storageCapacity: true, fsGroupPolicy: "File" }),
    driver(),
    [],
  ],
])("CSIDriver: %s", (_, object, old, errors) => {
  expect(updateErrors(CSIDriver, object, old)).toEqual(errors);
});

test("CSIDriver: what belongs to a gate that is off goes, and only a change counts", () => {
  const old = read(CSIDriver, { metadata: { generation: 3 }, ...driver() });
  const same = read(CSIDriver, driver({ preventPodSchedulingIfMissing: true })) as Draft<CSIDriver>;
  const other = read(CSIDriver, driver({ podInfoOnMount: true })) as Draft<CSIDriver>;
  for (const object of [same, other]) {
    object.metadata.generation = 3;
    CSIDriver.strategy.prepareUpdate?.(object as never, old as never, write);
  }
  expect([same.spec, same.metadata.generation, other.metadata.generation]).toEqual([
    old.spec,
    3,
    4,
  ]);
});

const warning =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
const tokens = { tokenRequests: [{ audience: "a" }] };

each<[rule: string, spec: object, old: object | undefined, warnings: readonly string[]]>([
  ["a new driver that gets tokens is told", tokens, undefined, [warning]],
  ["one that says how is not", { ...tokens, serviceAccountTokenInSecrets: false }, undefined, []],
  ["an update that leaves the tokens is not", tokens, tokens, []],
  ["an update that changes them is", tokens, {}, [warning]],
])("CSIDriver: %s", (_, spec, old, warnings) => {
  const before = old && read(CSIDriver, driver(old));
  const object = read(CSIDriver, driver(spec));
  expect(CSIDriver.strategy.warnings?.(object as never, before as never)).toEqual(warnings);
});
