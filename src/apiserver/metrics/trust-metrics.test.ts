import { expect, test } from "vitest";
import { definitions } from "../custom/custom.test-support.ts";
import { admin } from "../in-process.test-support.ts";
import { openMeasured } from "./measured-server.test-support.ts";

const day = 24 * 3600;

/** The values of metrics without labels. */
const plain = (text: string, ...names: string[]) =>
  names.map((name) => new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);

test("/metrics: how long certificates of callers are still valid, at each request", async () => {
  const { call, read, clock } = await openMeasured();
  const peer = { ...admin, validUntil: clock.now() + 3 * day * 1000 };
  await call({ path: "/version", peer });
  await call({ path: "/version", peer });
  const buckets = await read("apiserver_client_certificate_expiration_seconds_bucket");
  expect(buckets).toMatchObject({ 'le="172800"': 0, 'le="345600"': 2, 'le="+Inf"': 2 });
});

test("/metrics: rules of custom kinds are compiled once, and evaluated for each write", async () => {
  const { call, clock } = await openMeasured();
  const openAPIV3Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { size: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.size > 0" }],
      },
    },
  };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  await call({
    ...{ method: "POST", path: definitions },
    body: {
      metadata: { name: "things.example.com" },
      spec: { group: "example.com", scope: "Cluster", names, versions },
    },
  });
  const create = async (name: string, size: number) => {
    const body = {
      ...{ apiVersion: "example.com/v1", kind: "Thing", metadata: { name } },
      spec: { size },
    };
    return (await call({ method: "POST", path: "/apis/example.com/v1/things", body })).status;
  };
  for (let i = 0; (await create("first", 1)) !== 201; i++) {
    if (i > 100) throw new Error("the kind is never served");
    await clock.advance(1000);
  }
  expect(await create("second", 0)).toBe(422);
  const { text } = await call({ path: "/metrics" });
  expect(
    plain(
      text,
      "apiserver_cel_compilation_duration_seconds_count",
      "apiserver_cel_evaluation_duration_seconds_count",
    ),
  ).toEqual(["1", "2"]);
});

test("/metrics: what levels, reads and writes use of their limits, over time", async () => {
  const { call, read, clock } = await openMeasured({ priorityAndFairness: true });
  await call({ path: "/version" });
  await clock.advance(2000);
  const seats = await read("apiserver_flowcontrol_priority_level_seat_utilization_count");
  const level = 'phase="executing",priority_level="workload-low"';
  expect(seats[level]).toBeGreaterThanOrEqual(2e9);
  const requests = await read("apiserver_flowcontrol_priority_level_request_utilization_count");
  expect(requests['phase="waiting",priority_level="workload-low"']).toBeGreaterThanOrEqual(2e9);
  const kinds = await read("apiserver_flowcontrol_read_vs_write_current_requests_count");
  for (const phase of ["executing", "waiting"])
    for (const kind of ["readOnly", "mutating"])
      expect(kinds[`phase="${phase}",request_kind="${kind}"`]).toBeGreaterThanOrEqual(2e9);
  const demand = await read("apiserver_flowcontrol_demand_seats_count");
  expect(demand['priority_level="workload-low"']).toBeGreaterThanOrEqual(2e9);
});
