import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await openServer(new VirtualClock(Date.UTC(2026, 0, 1)));
  await ask("POST", deployments, deployment);
});
afterEach(() => server.close());

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  },
};
const scale = (replicas: number, metadata: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d", ...metadata },
  spec: { replicas },
});

async function ask(method: string, path: string, body?: unknown) {
  const { status, text } = await send(server, {
    method,
    path,
    ...(body !== undefined && { body }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the responses.
  return { status, body: JSON.parse(text) as any };
}

test("Scale: shows and changes the number of replicas", async () => {
  const { body: before } = await ask("GET", `${deployments}/d/scale`);
  expect([before.kind, before.spec, before.status]).toEqual([
    "Scale",
    { replicas: 2 },
    { replicas: 0, selector: "app=d" },
  ]);
  const { status, body: after } = await ask("PUT", `${deployments}/d/scale`, scale(5));
  expect([status, after.spec]).toEqual([200, { replicas: 5 }]);
  const { body } = await ask("GET", `${deployments}/d`);
  expect([body.spec.replicas, body.metadata.generation]).toEqual([5, 2]);
});

test("Scale: a dry run returns the new Scale, and does not store it", async () => {
  const { body } = await ask("PUT", `${deployments}/d/scale?dryRun=All`, scale(5));
  expect(body.spec).toEqual({ replicas: 5 });
  expect((await ask("GET", `${deployments}/d`)).body.spec.replicas).toBe(2);
});

test.each([
  [
    "a negative number",
    scale(-1),
    422,
    'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    "another uid",
    scale(1, { uid: "u" }),
    409,
    /Precondition failed: UID in precondition: u, UID in object meta: /,
  ],
  ["another version", scale(1, { resourceVersion: "1" }), 409, /the object has been modified/],
  [
    "another name",
    { ...scale(1), metadata: { name: "e" } },
    400,
    "the name of the object (e) does not match the name on the URL (d)",
  ],
  [
    "a version that is no longer served",
    { ...scale(1), apiVersion: "extensions/v1beta1" },
    400,
    "the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)",
  ],
  [
    "a version that never existed",
    { ...scale(1), apiVersion: "extensions/v9" },
    400,
    /no kind "Scale" is registered for version "extensions\/v9"/,
  ],
])("is refused: %s", async (_, body, code, message) => {
  const answer = await ask("PUT", `${deployments}/d/scale`, body);
  const wanted: unknown = message instanceof RegExp ? expect.stringMatching(message) : message;
  expect([answer.status, answer.body.message]).toEqual([code, wanted]);
});

test("Scale: an object that does not exist has none", async () => {
  expect((await ask("GET", `${deployments}/nope/scale`)).status).toBe(404);
  expect(
    (await ask("PUT", `${deployments}/nope/scale`, { ...scale(1), metadata: { name: "nope" } }))
      .status,
  ).toBe(404);
});
