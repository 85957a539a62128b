import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import { MatchConditionMetrics } from "../../metrics/match-condition-metrics.ts";
import { context } from "../../verbs/verb-parts.test-support.ts";
import { allowing, attributes, type TestAttributes } from "../attributes.test-support.ts";
import { seeRequest } from "../matching/seen-request.ts";
import { callerAuthorizer } from "./caller-authorizer.ts";
import {
  type MatchConditionsOptions,
  type MatchOutcome,
  matchConditions,
} from "./match-conditions.ts";
import { RequestVariables } from "./request-variables.ts";

const user = { name: "u", groups: ["g"] };

async function variables(given: TestAttributes = {}): Promise<RequestVariables> {
  const request = attributes({ context: { ...context(), user }, ...given });
  const seen = await seeRequest(request as never, request.address.kind);
  return new RequestVariables(
    seen,
    callerAuthorizer(allowing("get pods a", "delete pods/log a"), user),
  );
}

function conditions(expressions: readonly string[], more: Partial<MatchConditionsOptions> = {}) {
  const registry = new MetricsRegistry();
  const matches = matchConditions({
    conditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
    failurePolicy: "Fail",
    owner: { name: "a", kind: "webhook", type: "validating" },
    metrics: new MatchConditionMetrics(registry),
    ticks: () => 0,
    ...more,
  });
  return { matches, registry };
}

const yes: MatchOutcome = { matches: true };
const no: MatchOutcome = { matches: false };
const failing = "object.spec.nope == 1";
const failure = `expression '${failing}' resulted in error: no such key: nope`;
const costly =
  "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, object.l.all(c, c >= 0)))";

each<[what: string, expressions: readonly string[], policy: string, expected: MatchOutcome]>([
  ["none", [], "Fail", yes],
  ["all that are true", ["true", "object.metadata.name == 'a'"], "Fail", yes],
  ["one that is false", ["true", "false"], "Fail", no],
  ["one that is false, after one that fails", [failing, "false"], "Fail", no],
  ["one that fails", [failing, "true"], "Fail", { error: failure }],
  ["one that fails, which is ignored", [failing, "true"], "Ignore", no],
  ["the same error twice", [failing, failing], "Fail", { error: failure }],
  [
    "two that fail",
    [failing, "object.x == 1"],
    "Fail",
    { error: `[${failure}, expression 'object.x == 1' resulted in error: no such key: x]` },
  ],
  [
    "one that does not compile",
    ["object.", "true"],
    "Fail",
    {
      error: expect.stringMatching(/^compilation error: compilation failed: ERROR: <input>:1:8: /),
    },
  ],
  ["the namespace, which conditions do not see", ["namespaceObject == null"], "Fail", yes],
  ["an old object that is not there", ["oldObject == null"], "Fail", yes],
  ["parameters that are not there", ["params == null"], "Fail", yes],
  [
    "rights",
    ["authorizer.group('').resource('pods').name('a').check('get').allowed()"],
    "Fail",
    yes,
  ],
  [
    "rights to the resource of the request",
    ["authorizer.requestResource.check('delete').allowed()"],
    "Fail",
    yes,
  ],
])("matchConditions: %s", async (_, expressions, failurePolicy, expected) => {
  const { matches } = conditions(expressions, { failurePolicy, hasParams: true });
  const request = await variables({ subresource: "log", more: { l: [1] } });
  // The second call has what the first one compiled.
  for (let i = 0; i < 2; i++) expect(await matches({ request })).toEqual(expected);
});

test("matchConditions: they share a budget, and one that is false does not save it", async () => {
  const request = await variables({ operation: "CONNECT", more: { l: new Array(2000).fill(1) } });
  const { matches } = conditions([costly, "false", costly, costly]);
  expect(await matches({ request })).toEqual({
    error:
      "validation failed due to running out of cost budget, no further validation rules will be run",
  });
  const two = conditions([costly, "false"]);
  expect(await two.matches({ request })).toEqual(no);
});

test("matchConditions: parameters and shared variables", async () => {
  const { matches } = conditions(["params.x == 1"], { hasParams: true });
  const request = await variables();
  expect(await matches({ request, params: fromJson({ x: 1 }) })).toEqual(yes);
  expect(await matches({ request })).toEqual({
    error: "expression 'params.x == 1' resulted in error: no such key: x",
  });
});

test("matchConditions: errors and exclusions are counted", async () => {
  const { matches, registry } = conditions([failing, "false"]);
  await matches({ request: await variables() });
  const shown = registry
    .text()
    .split("\n")
    .filter((line) => /^apiserver.*(_total|_count)/.test(line));
  expect(shown).toEqual([
    'apiserver_admission_match_condition_evaluation_errors_total{kind="webhook",name="a",operation="CREATE",type="validating"} 1',
    'apiserver_admission_match_condition_evaluation_seconds_count{kind="webhook",name="a",operation="CREATE",type="validating"} 1',
    'apiserver_admission_match_condition_exclusions_total{kind="webhook",name="a",operation="CREATE",type="validate"} 1',
  ]);
});

test("RequestVariables: the request as reviews show it", async () => {
  const { matches } = conditions([
    "request.operation == 'DELETE'",
    "request.name == 'a' && request.userInfo.username == 'u' && 'g' in request.userInfo.groups",
    "!has(request.userInfo.uid) && !has(request.subResource) && !request.dryRun",
    "object == null && oldObject.metadata.name == 'b'",
    "dyn(request).uid == '' && dyn(request).object == null",
  ]);
  const request = await variables({ operation: "DELETE", old: { metadata: { name: "b" } } });
  expect(await matches({ request })).toEqual(yes);
});
