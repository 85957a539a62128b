import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { write } from "../../write.test-support.ts";
import { APIService, type APIServiceSpec } from "./api-service.ts";

for (const recorded of recordedCases("apiservices"))
  test(`APIService: ${recorded.name}`, () => {
    expect.hasAssertions();
    // The time of the condition is that of the creation, which is not set here.
    expectRecorded(APIService as never, recorded, { without: ["status.conditions"] });
  });

const service = (
  spec: Partial<APIServiceSpec> = {},
  more: Partial<APIService> = {},
): APIService => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.a.example.com", resourceVersion: "1" },
  spec: {
    group: "a.example.com",
    version: "v1",
    groupPriorityMinimum: 1,
    versionPriority: 1,
    ...spec,
  },
  status: {},
  ...more,
});
const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const remote = { namespace: "n", name: "s", port: 443 };

const refused: readonly [rule: string, spec: Partial<APIServiceSpec>, errors: readonly string[]][] =
  [
    ["a local service needs no more", {}, []],
    ["a remote service may have a CA", { service: remote, caBundle: "YQ==" }, []],
    ["priorities reach 20000 and 1000", { groupPriorityMinimum: 20000, versionPriority: 1000 }, []],
    [
      "priorities are positive and bounded",
      { groupPriorityMinimum: 20001, versionPriority: -1 },
      [
        "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: -1: must be positive and less than 1000",
      ],
    ],
    [
      "a local service has no CA and skips nothing",
      { caBundle: "YWI=", insecureSkipTLSVerify: true },
      [
        'spec.caBundle: Invalid value: "2 bytes": local APIServices may not have a caBundle',
        "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
      ],
    ],
    [
      "a service is named in full, with a port",
      { service: { port: 70000 } },
      [
        "spec.service.namespace: Required value",
        "spec.service.name: Required value",
        "spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
      ],
    ],
    [
      "only v1 has no group",
      { group: "", version: "v2" },
      [
        'metadata.name: Invalid value: "v1.a.example.com": must be `spec.version+"."+spec.group`: "v2."',
        "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
      ],
    ],
  ];
test.each(refused)("APIService: %s", (_, spec, expected) => {
  expect(errors((at) => APIService.validateCreate(service(spec), at))).toEqual(expected);
});

test("APIService: finalizers need no domain", () => {
  const metadata = { name: "v1.a.example.com", finalizers: ["mine"] };
  expect(errors((at) => APIService.validateCreate(service({}, { metadata }), at))).toEqual([]);
});

test("APIService: a condition has one of three statuses", () => {
  const condition = { type: "Available", status: "Perhaps", lastTransitionTime: "" };
  const changed = service({}, { status: { conditions: [condition] } });
  expect(errors((at) => APIService.validateStatusUpdate(changed, service(), at))).toEqual([
    'status.conditions[0].status: Unsupported value: "Perhaps": supported values: "True", "False", "Unknown"',
  ]);
});

test("APIService: a remote service is not available at first", () => {
  const draft = service({ service: remote });
  APIService.strategy.prepareCreate?.(draft as never, write);
  expect(draft.status).toEqual({});
});

test("APIService: the table names the service and why it is not available", () => {
  const row = (object: APIService) =>
    APIService.columns.slice(1, 3).map((column) => column.cell(object as never, { now: 0 }));
  const condition = { type: "Available", status: "False", lastTransitionTime: "" };
  const conditions = (reason?: string) => ({ conditions: [{ ...condition, reason }] });
  expect([
    row(service()),
    row(service({ service: remote }, { status: conditions("MissingEndpoints") })),
    row(service({ service: remote }, { status: conditions() })),
  ]).toEqual([
    ["Local", "Unknown"],
    ["n/s", "False (MissingEndpoints)"],
    ["n/s", "False"],
  ]);
});
