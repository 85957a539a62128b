import { expect, test } from "vitest";
import { actions, nodeResource } from "../framework/cluster-event.ts";
import { PodsInFlight } from "./pods-in-flight.ts";

const event = (now: string) => ({ event: { resource: nodeResource, action: actions.add }, now });

test("PodsInFlight: a pod missed the events since its attempt began, and others are not kept", () => {
  const inFlight = new PodsInFlight();
  inFlight.happened(event("nobody"));
  inFlight.begin("a");
  inFlight.happened(event("x"));
  inFlight.begin("b");
  inFlight.happened(event("y"));
  expect(inFlight.missedBy("a")).toEqual([event("x"), event("y")]);
  expect(inFlight.missedBy("b")).toEqual([event("y")]);
  expect(inFlight.missedBy("c")).toBeUndefined();
  inFlight.end("a");
  inFlight.end("a");
  expect(inFlight.events).toEqual([event("y")]);
  expect(inFlight.missedBy("b")).toEqual([event("y")]);
  inFlight.end("b");
  expect(inFlight.events).toEqual([]);
  expect(inFlight.pods).toBe(0);
});

test("PodsInFlight: when a later attempt ends first, events of earlier ones are kept", () => {
  const inFlight = new PodsInFlight();
  inFlight.begin("a");
  inFlight.happened(event("x"));
  inFlight.begin("b");
  inFlight.end("b");
  inFlight.happened(event("y"));
  expect(inFlight.missedBy("a")).toEqual([event("x"), event("y")]);
});
