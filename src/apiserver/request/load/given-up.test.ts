import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { laggingStore } from "../../allocation/lagging-store.test-support.ts";
import { openServer, send, type TestRequest, toApiRequest } from "../../in-process.test-support.ts";
import type { ApiServer } from "../../server.ts";
import { GatedStore } from "./gated-store.test-support.ts";

/** A store that can also keep those waiting who ask for its revision. */
class SlowStore extends GatedStore {
  #held: Promise<void> | undefined;
  #release: () => void = () => {};
  readonly #asking: (() => void)[] = [];

  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#held = undefined;
    this.#release();
  }

  /** Resolves when somebody asks. */
  asked(): Promise<void> {
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  override async currentRevision(): Promise<number> {
    for (const tell of this.#asking.splice(0)) tell();
    await this.#held;
    return super.currentRevision();
  }
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";

async function opened() {
  const clock = new VirtualClock();
  const store = new SlowStore(clock);
  const server = await openServer(clock, store, { admission: { disable: ["ServiceAccount"] } });
  onTestFinished(() => server.close());
  const call = (request: TestRequest) => send(server, request);
  const revision = () => store.currentRevision();
  /** How often the work of a request ended that was given up. */
  const late = () => metricOf(server, "apiserver_request_post_timeout_total");
  return { clock, store, call, revision, late };
}

/** The value of the first metric whose line begins so. */
async function metricOf(server: ApiServer, begin: string): Promise<number> {
  const { text } = await send(server, { path: "/metrics" });
  const line = text.split("\n").find((found) => found.startsWith(begin)) ?? "";
  return Number(line.split(" ").at(-1));
}

const spec = { containers: [{ name: "c", image: "i" }] };
const made: TestRequest[] = [
  { method: "POST", path: configMaps, body: { metadata: { name: "a" } } },
  { method: "POST", path: pods, body: { metadata: { name: "p" }, spec } },
  {
    method: "POST",
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    body: { metadata: { name: "r" }, handler: "h" },
  },
];

const slow: [what: string, request: TestRequest][] = [
  [
    "a creation whose admission was slow",
    {
      method: "POST",
      path: pods,
      body: { metadata: { name: "q" }, spec: { ...spec, runtimeClassName: "r" } },
    },
  ],
  [
    "an update",
    { method: "PUT", path: `${configMaps}/a`, body: { metadata: { name: "a" }, data: { b: "c" } } },
  ],
  [
    "a patch",
    {
      method: "PATCH",
      path: `${configMaps}/a`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { data: { b: "c" } },
    },
  ],
  [
    "an apply that would create",
    {
      method: "PATCH",
      path: `${configMaps}/b?fieldManager=me`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } },
    },
  ],
  ["a deletion", { method: "DELETE", path: `${configMaps}/a` }],
  ["a deletion of many", { method: "DELETE", path: configMaps }],
  [
    "a binding",
    {
      method: "POST",
      path: `${pods}/p/binding`,
      body: { metadata: { name: "p" }, target: { kind: "Node", name: "n" } },
    },
  ],
  [
    "an eviction",
    { method: "POST", path: `${pods}/p/eviction`, body: { metadata: { name: "p" } } },
  ],
];
test.each(slow)("timed-out request: %s is not carried out later", async (_, request) => {
  const { clock, store, call, revision, late } = await opened();
  for (const other of made) expect((await call(other)).status).toBe(201);
  const before = await revision();
  store.hold();
  const asked = store.asked();
  const answer = call({ ...request, path: withTimeout(request.path) });
  await asked;
  await clock.advance(1000);
  expect((await answer).status).toBe(504);
  expect(await late()).toBe(0);
  store.release();
  await expect.poll(late).toBe(1);
  expect(await revision()).toBe(before);
  // The same is carried out where there is time for it.
  expect((await call(request)).status).toBeLessThan(300);
  expect(await revision()).toBeGreaterThan(before);
});

const withTimeout = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}timeout=1s`;

test("timed-out request: a commit in progress is completed", async () => {
  const { clock, store, call, late } = await opened();
  store.shut();
  const body = { metadata: { name: "a" } };
  const answer = call({ method: "POST", path: `${configMaps}?timeout=1s`, body });
  await store.waiting(1);
  await clock.advance(1000);
  expect((await answer).status).toBe(504);
  store.open();
  await expect.poll(late).toBe(1);
  expect((await call({ path: `${configMaps}/a` })).status).toBe(200);
});

test("timed-out request: it is not authorized after a late authentication", async () => {
  const { store, call: callOther, clock } = await opened();
  // This server learns of the service account only when it asks.
  const far = laggingStore(store);
  const server = await openServer(clock, far.store);
  onTestFinished(() => server.close());
  far.lag();
  const account = "/api/v1/namespaces/default/serviceaccounts";
  await callOther({ method: "POST", path: account, body: { metadata: { name: "s" } } });
  const path = `${account}/s/token`;
  const { text } = await callOther({ method: "POST", path, body: { spec: {} } });
  const { token } = (JSON.parse(text) as { status: { token: string } }).status;
  const ask = (timeout: string) =>
    server.handle({
      ...toApiRequest({
        path: `${configMaps}?timeout=${timeout}`,
        headers: { authorization: `Bearer ${token}` },
      }),
      peer: undefined,
    });
  const late = () => metricOf(server, "apiserver_request_post_timeout_total");
  const decisions = () => metricOf(server, 'authorization_attempts_total{result="no-opinion"}');
  store.hold();
  const asked = store.asked();
  const answer = ask("1s");
  await asked;
  await clock.advance(1000);
  expect((await answer).status).toBe(504);
  store.release();
  await expect.poll(late).toBe(1);
  expect(await decisions()).toBe(0);
  expect((await ask("2s")).status).toBe(403);
  expect(await decisions()).toBe(1);
});
