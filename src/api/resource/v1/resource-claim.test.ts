import { expect, test } from "vitest";
import { created, updated, written } from "../written.test-support.ts";
import { ResourceClaim } from "./resource-claim.ts";

const exactly = { deviceClassName: "gpu" };
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const notARequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

const refused: readonly [rule: string, devices: object, errors: readonly string[]][] = [
  [
    "a request is exact or has alternatives, not both",
    { requests: [{ name: "r", exactly, firstAvailable: [{ name: "s", ...exactly }] }] },
    [
      "spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set",
    ],
  ],
  [
    "there are at most 32 requests, and then nothing else is said of them",
    { requests: Array.from({ length: 33 }, () => ({ name: "R" })) },
    ["spec.devices.requests: Too many: 33: must have at most 32 items"],
  ],
  [
    "there are at most 8 alternatives",
    { requests: [{ name: "r", firstAvailable: Array.from({ length: 9 }, () => ({})) }] },
    ["spec.devices.requests[0].firstAvailable: Too many: 9: must have at most 8 items"],
  ],
  [
    "a toleration that exists has no value",
    {
      requests: [
        { name: "r", exactly: { ...exactly, tolerations: [{ operator: "Exists", value: "x" }] } },
      ],
    },
    [
      'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "x": must be empty for operator `Exists`',
    ],
  ],
  [
    "a toleration has a known effect",
    { requests: [{ name: "r", exactly: { ...exactly, tolerations: [{ effect: "Never" }] } }] },
    [
      'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  ],
  [
    "a selector is not longer than 10 KiB",
    {
      requests: [
        {
          name: "r",
          exactly: { ...exactly, selectors: [{ cel: { expression: "x".repeat(10241) } }] },
        },
      ],
    },
    [
      "spec.devices.requests[0].exactly.selectors[0].cel.expression: Too long: may not be more than 10240 bytes",
    ],
  ],
  [
    "a constraint names an attribute",
    { requests: [{ name: "r", exactly }], constraints: [{ requests: ["r"] }] },
    [
      'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ],
  ],
  [
    "an attribute has a domain",
    { constraints: [{ distinctAttribute: "model" }] },
    [
      'spec.devices.constraints[0].distinctAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
    ],
  ],
  [
    "the name of an attribute is short, and an identifier",
    { constraints: [{ matchAttribute: `a.example/${"x".repeat(33)}` }] },
    ["spec.devices.constraints[0].matchAttribute: Too long: may not be more than 32 bytes"],
  ],
  [
    "an alternative is named with its request",
    {
      requests: [{ name: "r", firstAvailable: [{ name: "s", ...exactly }] }],
      config: [{ requests: ["r/s", "r/t", "r/s/t"], opaque: { driver: "d", parameters: {} } }],
    },
    [
      `spec.devices.config[0].requests[1]: Invalid value: "r/t": ${notARequest}`,
      `spec.devices.config[0].requests[2]: Invalid value: "r/s/t": ${notARequest}`,
    ],
  ],
  [
    "parameters are an object",
    { config: [{ opaque: { driver: "d", parameters: [1] } }] },
    [
      'spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
  ],
  [
    "parameters are not longer than 10 KiB",
    { config: [{ opaque: { driver: "d", parameters: { a: "x".repeat(10240) } } }] },
    ["spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"],
  ],
  [
    "the name of a request is a DNS label",
    { requests: [{ name: "R", exactly }] },
    [`spec.devices.requests[0].name: Invalid value: "R": ${label}`],
  ],
];

test.each(refused)("ResourceClaim: %s", (_, devices, errors) => {
  expect(created(ResourceClaim, { spec: { devices } }).errors).toEqual(errors);
});

test("ResourceClaim: a request gets one device, and a toleration looks at the value", () => {
  const requests = [
    { name: "one", exactly: { ...exactly, tolerations: [{ key: "a" }] } },
    { name: "all", exactly: { ...exactly, allocationMode: "All" } },
  ];
  expect(written(ResourceClaim, { spec: { devices: { requests } } }).spec.devices.requests).toEqual(
    [
      {
        name: "one",
        exactly: {
          ...exactly,
          allocationMode: "ExactCount",
          count: 1,
          tolerations: [{ key: "a", operator: "Equal" }],
        },
      },
      { name: "all", exactly: { ...exactly, allocationMode: "All" } },
    ],
  );
});

const spec = { devices: { requests: [{ name: "r", exactly }] } };
const device = { driver: "d", pool: "p", device: "x" };
const result = { request: "r", ...device };
const allocation = { devices: { results: [result] } };
const user = { resource: "pods", name: "p", uid: "1" };
const condition = {
  type: "Ready",
  status: "True",
  reason: "Ok",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

const refusedStatuses: readonly [rule: string, status: object, errors: readonly string[]][] = [
  ["what is right is taken", { allocation, reservedFor: [user] }, []],
  [
    "what is not allocated cannot be reserved",
    { reservedFor: [{ uid: "1" }] },
    [
      "status.reservedFor[0].resource: Required value",
      "status.reservedFor[0].name: Required value",
      "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
    ],
  ],
  [
    "nobody reserves it twice",
    { allocation, reservedFor: [user, user] },
    ['status.reservedFor[1]: Duplicate value: "1"'],
  ],
  [
    "a device that was not allocated has no status",
    { allocation, devices: [{ ...device, device: "y" }] },
    [
      'status.devices[0]: Invalid value: {"Driver":"d","Pool":"p","Device":"y","ShareID":""}: must be an allocated device in the claim',
    ],
  ],
  [
    "no device has two statuses",
    { allocation, devices: [device, device] },
    ['status.devices[1]: Duplicate value: {"Driver":"d","Pool":"p","Device":"x","ShareID":""}'],
  ],
  [
    "a device has at most 8 conditions",
    {
      allocation,
      devices: [
        {
          ...device,
          conditions: Array.from({ length: 9 }, (_, i) => ({ ...condition, type: `C${i}` })),
        },
      ],
    },
    ["status.devices[0].conditions: Too many: 9: must have at most 8 items"],
  ],
  [
    "a share is a UUID in its normal form",
    {
      allocation: {
        devices: {
          results: [
            { ...result, shareID: "x" },
            { ...result, shareID: "{6BA7B810-9dad-11d1-80b4-00c04fd430c8}" },
            { ...result, shareID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8" },
          ],
        },
      },
    },
    [
      'status.allocation.devices.results[0].shareID: Invalid value: "x": error validating uid: invalid UUID length: 1',
      'status.allocation.devices.results[1].shareID: Invalid value: "{6BA7B810-9dad-11d1-80b4-00c04fd430c8}": uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
    ],
  ],
  [
    "binding conditions come with failures, and differ from them",
    {
      allocation: {
        devices: {
          results: [
            { ...result, bindingConditions: ["a"] },
            { ...result, bindingConditions: ["a", "a"], bindingFailureConditions: ["a"] },
          ],
        },
      },
    },
    [
      "status.allocation.devices.results[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions",
      'status.allocation.devices.results[1].bindingConditions[1]: Duplicate value: "a"',
      'status.allocation.devices.results[1].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
    ],
  ],
  [
    "a configuration stems from the class or the claim",
    {
      allocation: {
        devices: { config: [{ source: "Mine", opaque: { driver: "d", parameters: {} } }] },
      },
    },
    [
      'status.allocation.devices.config[0].source: Unsupported value: "Mine": supported values: "FromClaim", "FromClass"',
    ],
  ],
  [
    "data is an object, and addresses have a prefix",
    { allocation, devices: [{ ...device, data: 1, networkData: { ips: ["1.2.3.4"] } }] },
    [
      'status.devices[0].data: Invalid value: "<value omitted>": must be a valid JSON object',
      'status.devices[0].networkData.ips[0]: Invalid value: "1.2.3.4": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
    ],
  ],
];

test.each(refusedStatuses)("ResourceClaim status: %s", (_, status, errors) => {
  const old = created(ResourceClaim, { spec }).object;
  const update = updated(ResourceClaim, old, { body: { spec, status }, subresource: "status" });
  expect(update.errors).toEqual(errors);
});

test("ResourceClaim status: an allocation never changes, and is shown as it is in memory", () => {
  const old = written(ResourceClaim, { spec, status: { allocation } });
  const other = { devices: { results: [{ ...result, device: "y" }] } };
  const status = { allocation: other };
  expect(updated(ResourceClaim, old, { body: { status }, subresource: "status" }).errors).toEqual([
    'status.allocation: Invalid value: {"Devices":{"Results":[{"Request":"r","Driver":"d","Pool":"p","Device":"y","AdminAccess":null,"Tolerations":null,"BindingConditions":null,"BindingFailureConditions":null,"ShareID":null,"ConsumedCapacity":null}],"Config":null},"NodeSelector":null,"AllocationTimestamp":null}: field is immutable',
  ]);
});

test("ResourceClaim status: what is told of a device goes with its allocation", () => {
  const old = written(ResourceClaim, { spec, status: { allocation, devices: [device] } });
  const { object, errors } = updated(ResourceClaim, old, {
    body: { status: { devices: [device] } },
    subresource: "status",
  });
  expect({ status: object.status, errors }).toEqual({ status: {}, errors: [] });
});

test("ResourceClaim status: nobody new may use a claim that is being deleted", () => {
  const metadata = {
    name: "a",
    namespace: "n",
    resourceVersion: "1",
    deletionTimestamp: "2026-01-01T00:00:00Z",
  };
  const old = written(ResourceClaim, {
    metadata,
    spec,
    status: { allocation, reservedFor: [user] },
  });
  const errorsWith = (reservedFor: readonly object[]) =>
    updated(ResourceClaim, old, {
      body: { status: { allocation, reservedFor } },
      subresource: "status",
    }).errors;
  expect([errorsWith([user]), errorsWith([{ ...user, uid: "2" }])]).toEqual([
    [],
    [
      "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
    ],
  ]);
});

test("ResourceClaim: the state tells of deletion, allocation and use", () => {
  const stateOf = (body: object): unknown =>
    ResourceClaim.columns[1]?.cell(written(ResourceClaim, body) as never, { now: 0 });
  const metadata = { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" };
  expect([
    stateOf({}),
    stateOf({ metadata }),
    stateOf({ status: { allocation } }),
    stateOf({ metadata, status: { allocation, reservedFor: [user] } }),
  ]).toEqual(["pending", "deleted", "allocated", "deleted,allocated,reserved"]);
});
