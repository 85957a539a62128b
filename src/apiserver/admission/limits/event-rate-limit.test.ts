import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { context, coreKind } from "../../verbs/verb-parts.test-support.ts";
import { kindAt, rejectionBy, type TestAttributes } from "../attributes.test-support.ts";
import { type EventLimit, eventRateLimit } from "./event-rate-limit.ts";

const event = (more: TestAttributes = {}): TestAttributes => ({
  kind: "Event",
  more: { source: { component: "c", host: "h" }, involvedObject: { kind: "Pod", name: "p" } },
  ...more,
});
const limit = (type: EventLimit["type"], more: Partial<EventLimit> = {}): EventLimit => ({
  type,
  qps: 1,
  burst: 1,
  ...more,
});
const by = (name: string) => ({ ...context(), user: { name, groups: [] } });
const reached = (what: string) => `Too many requests: limit reached on type ${what}`;

test.each([
  [
    "Server",
    event({ address: { namespace: "x" }, context: by("other") }),
    reached("Server for key "),
  ],
  ["Namespace", event(), reached("Namespace for key default")],
  ["Namespace", event({ address: { namespace: "x" } }), undefined],
  ["User", event(), reached("User for key admin")],
  ["User", event({ context: by("other") }), undefined],
  ["SourceAndObject", event(), reached("SourceAndObject for key chPodp")],
  ["SourceAndObject", event({ more: { involvedObject: { kind: "Pod", name: "q" } } }), undefined],
] as const)("eventRateLimit: a limit per %s", async (type, second, wanted) => {
  const plugin = eventRateLimit([limit(type)], new VirtualClock(0));
  expect(await rejectionBy(plugin, event())).toEqual(undefined);
  expect(await rejectionBy(plugin, second)).toEqual(wanted);
});

test("eventRateLimit: time brings more", async () => {
  const clock = new VirtualClock(0);
  const plugin = eventRateLimit([limit("Server", { qps: 2, burst: 3 })], clock);
  const taken = async () => {
    let count = 0;
    while ((await rejectionBy(plugin, event())) === undefined) count++;
    return count;
  };
  expect(await taken()).toEqual(3);
  await clock.advance(1000);
  expect(await taken()).toEqual(2);
});

test("eventRateLimit: all limits that are reached are named", async () => {
  const plugin = eventRateLimit([limit("Server"), limit("User")], new VirtualClock(0));
  await rejectionBy(plugin, event());
  expect(await rejectionBy(plugin, event())).toEqual(
    "Too many requests: [limit reached on type Server for key , limit reached on type User for key admin]",
  );
});

test("eventRateLimit: the least recently used bucket is dropped, and starts full again", async () => {
  const plugin = eventRateLimit([limit("Namespace", { cacheSize: 2 })], new VirtualClock(0));
  const inside = (namespace: string) => rejectionBy(plugin, event({ address: { namespace } }));
  await inside("a");
  await inside("b");
  expect(await inside("a")).toEqual(reached("Namespace for key a"));
  await inside("c");
  expect(await inside("a")).toEqual(reached("Namespace for key a"));
  expect(await inside("b")).toEqual(undefined);
});

test.each([
  ["dry runs", event({ context: { ...context(), dryRun: true } })],
  ["other kinds", { kind: "ConfigMap" }],
  ["events of the newer group", { address: { kind: kindAt("events.k8s.io", "events") } }],
  ["deletions", event({ operation: "DELETE" })],
])("eventRateLimit: %s do not count", async (_, given) => {
  const plugin = eventRateLimit([limit("Server")], new VirtualClock(0));
  const request = { address: { kind: coreKind(given.kind ?? "Event") }, ...given };
  for (let i = 0; i < 3; i++) expect(await rejectionBy(plugin, request)).toEqual(undefined);
});

test.each([
  [[], "limits: Invalid value: null: must not be empty"],
  [[limit("Server", { qps: 0 })], "limits[0].qps: Invalid value: 0: must be positive"],
  [
    [limit("Server"), limit("User", { burst: -1, cacheSize: -1 })],
    "[limits[1].burst: Invalid value: -1: must be positive, limits[1].cacheSize: Invalid value: -1: must not be negative]",
  ],
  [
    [limit("Own" as never)],
    'limits[0].type: Unsupported value: "Own": supported values: "Server", "Namespace", "User", "SourceAndObject"',
  ],
])("eventRateLimit: limits that are not valid: %j", (limits, wanted) => {
  expect(() => eventRateLimit(limits, new VirtualClock(0))).toThrow(wanted);
});
