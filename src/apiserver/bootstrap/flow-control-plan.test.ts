import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { ApiObject } from "../objects/object.ts";
import {
  autoUpdateKey,
  type FlowControlDefault,
  flowControlDefaults,
  isFormerDefault,
  revisedFlowControl,
} from "./flow-control-plan.ts";

const find = (kind: string, name: string) =>
  flowControlDefaults().find(
    ({ object }) => object.kind === kind && object.metadata.name === name,
  ) as FlowControlDefault;
const suggested = find("FlowSchema", "service-accounts");
const mandatory = find("FlowSchema", "catch-all");
const exempt = find("PriorityLevelConfiguration", "exempt");

/** A default as a cluster has it, with another spec. */
const changed = (
  { object }: FlowControlDefault,
  { annotation, generation = 2 }: { annotation?: string; generation?: number },
): ApiObject => ({
  ...object,
  metadata: {
    name: object.metadata.name ?? "",
    generation,
    annotations: annotation === undefined ? {} : { [autoUpdateKey]: annotation },
  },
  spec: { ...(object.spec as object), matchingPrecedence: 77 },
});

type Row = [
  rule: string,
  of: FlowControlDefault,
  given: { annotation?: string; generation?: number },
  spec: "default" | "own",
  annotation: string,
];

/** Whose spec one has after its spec was changed, and what its annotation says then. */
each<Row>([
  [
    "a suggested one that asks for it is reset",
    suggested,
    { annotation: "true" },
    "default",
    "true",
  ],
  ["Go's other words for true count", suggested, { annotation: "T" }, "default", "T"],
  ["one that asks to be left alone is", suggested, { annotation: "false" }, "own", "false"],
  ["one that was changed, and does not say, is left alone", suggested, {}, "own", "false"],
  ["one that never was changed is reset", suggested, { generation: 1 }, "default", "true"],
  ["what is no truth value says nothing", suggested, { annotation: "yes" }, "own", "false"],
  ["a mandatory one is always reset", mandatory, { annotation: "false" }, "default", "true"],
])("flow control: %s", (_, of, given, spec, annotation) => {
  const current = changed(of, given);
  const next = revisedFlowControl(current, of) ?? current;
  expect([next.spec, next.metadata.annotations]).toEqual([
    spec === "default" ? of.object.spec : current.spec,
    { [autoUpdateKey]: annotation },
  ]);
});

test("flow control: correct objects are not changed", () => {
  for (const wanted of flowControlDefaults())
    expect(revisedFlowControl(wanted.object, wanted)).toBeUndefined();
});

test("flow control: users may set the shares of the exempt level, but not remove them", () => {
  const shares = { nominalConcurrencyShares: 9, lendablePercent: 50 };
  const own = { ...exempt.object, spec: { type: "Exempt", exempt: shares } };
  expect(revisedFlowControl(own, exempt)).toBeUndefined();
  const without = { ...exempt.object, spec: { type: "Exempt" } };
  expect(revisedFlowControl(without, exempt)?.spec).toEqual(exempt.object.spec);
});

test("flow control: a former default has the annotation for automatic updates", () => {
  const annotated = (value: string) =>
    isFormerDefault({ ...suggested.object, metadata: { annotations: { [autoUpdateKey]: value } } });
  expect([annotated("true"), annotated("false"), annotated("perhaps")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isFormerDefault({ ...suggested.object, metadata: {} })).toEqual(false);
});
