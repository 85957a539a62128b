import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created } from "../../kind.test-support.ts";
import { PriorityLevelConfiguration } from "./priority-level-configuration.ts";

const limited = (rest: object = {}) => ({
  type: "Limited",
  limited: { limitResponse: { type: "Reject" }, ...rest },
});
const queuing = (values: object) => limited({ limitResponse: { type: "Queue", queuing: values } });
const at = "spec.limited";

each<[sentence: string, name: string, spec: object, errors: readonly string[]]>([
  [
    "a level that is limited says how",
    "a",
    { type: "Limited" },
    ["spec.limited: Required value: must not be empty when type is Limited"],
  ],
  [
    "and is not exempt",
    "a",
    { ...limited(), exempt: {} },
    ["spec.exempt: Forbidden: must be nil if the type is Limited"],
  ],
  ["a share of zero is a jail", "a", limited({ nominalConcurrencyShares: 0 }), []],
  [
    "what is lent is not more than all",
    "a",
    limited({ lendablePercent: 101, borrowingLimitPercent: 1000 }),
    [`${at}.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive`],
  ],
  [
    "what is rejected is not queued",
    "a",
    limited({ limitResponse: { type: "Reject", queuing: {} } }),
    [
      `${at}.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited`,
    ],
  ],
  [
    "there must be something to do with requests above the limit",
    "a",
    limited({ limitResponse: {} }),
    [`${at}.limitResponse.type: Required value`],
  ],
  ["a hand of eight from 64 queues takes 48 bits", "a", queuing({}), []],
  [
    "a hand may not take more than 60 bits of the hash",
    "a",
    queuing({ queues: 64, handSize: 11 }),
    [
      `${at}.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60`,
    ],
  ],
  [
    "queues are not too many, and not too short",
    "a",
    queuing({ queues: 10_000_001, handSize: 1, queueLengthLimit: -1 }),
    [
      `${at}.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive`,
      `${at}.limitResponse.queuing.queues: Invalid value: 10000001: must not be greater than 10000000`,
    ],
  ],
  [
    "the shares of the exempt level are free",
    "exempt",
    { type: "Exempt", exempt: { nominalConcurrencyShares: 7, lendablePercent: 50 } },
    [],
  ],
  [
    "the rest of it is not",
    "exempt",
    { type: "Exempt", limited: { limitResponse: { type: "Reject" } } },
    [
      "spec.limited: Forbidden: must be nil if the type is not Limited",
      `spec: Invalid value: {"Type":"Exempt","Limited":{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value`,
    ],
  ],
  [
    "what catches all is fixed",
    "catch-all",
    limited({ nominalConcurrencyShares: 6 }),
    [
      `spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'catch-all' must equal the fixed value`,
    ],
  ],
])("PriorityLevelConfiguration: %s", (_, name, spec, errors) => {
  expect(created(PriorityLevelConfiguration, { metadata: { name }, spec })).toEqual(errors);
});

test("PriorityLevelConfiguration: what an older version annotates is not for clients", () => {
  const key = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
  const metadata = { annotations: { [key]: "" } };
  expect(created(PriorityLevelConfiguration, { metadata, spec: limited() })).toEqual([
    `metadata.annotations: Forbidden: annotation '${key}' is forbidden`,
  ]);
});

test("PriorityLevelConfiguration: an exempt level shows no limits", () => {
  const spec = { type: "Exempt" };
  expect(cellsOf(PriorityLevelConfiguration, { spec })).toEqual([
    "Exempt",
    "<none>",
    "<none>",
    "<none>",
    "<none>",
  ]);
});
