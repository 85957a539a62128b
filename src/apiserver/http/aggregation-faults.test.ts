import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { eventually } from "../../../test/eventually.ts";
import type { Clock } from "../../base/clock.ts";
import { type Network, noNetwork } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { send, toApiRequest, wallClock } from "../in-process.test-support.ts";
import {
  addApi,
  aggregatingServer,
  extensionServer,
  group,
  json,
  type RequestListener,
  reached,
} from "./extension-server.test-support.ts";

const root = `/apis/${group}/v1`;

/** A clock on which time limits pass twenty times as fast. */
const fastClock: Clock = {
  ...wallClock,
  setTimer: (ms, fire) => wallClock.setTimer(ms / 20, fire),
};

/** Responds to checks, and from then on leaves all other requests open; `open` counts them. */
function hanging(isHung: () => boolean) {
  let open = 0;
  const answer: RequestListener = (_, response) => {
    if (!isHung()) {
      json(response, {});
      return;
    }
    open++;
    response.once("close", () => open--);
  };
  return { answer, open: () => open };
}

test("a server that hangs delays nobody else", async () => {
  let isHung = false;
  const hung = hanging(() => isHung);
  const server = await aggregatingServer();
  await addApi(server, await extensionServer(hung.answer));
  await reached(server);
  isHung = true;
  const gone = new AbortController();
  const ended: unknown[] = [];
  for (let i = 0; i < 50; i++)
    void server
      .handle(toApiRequest({ path: `${root}/things`, signal: gone.signal }))
      .then(({ status }) => ended.push(status));
  await eventually(() => expect(hung.open()).toBeGreaterThanOrEqual(50));
  const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const others = [
    { path: "/apis", headers: { accept: aggregated } },
    { path: "/apis" },
    { path: "/openapi/v2" },
    { path: "/openapi/v3" },
    { path: "/api/v1/namespaces/default/configmaps" },
    { path: "/apis/apps/v1" },
  ];
  const statuses = await Promise.all(
    others.map(async (other) => (await send(server, other)).status),
  );
  expect([statuses, ended]).toEqual([others.map(() => 200), []]);
  gone.abort();
  await eventually(() => expect(ended.length).toBe(50));
});

test("discovery of a server that hangs ends in time, and its connection with it", async () => {
  let isHung = false;
  const hung = hanging(() => isHung);
  const server = await aggregatingServer({ clock: fastClock });
  await addApi(server, await extensionServer(hung.answer));
  await reached(server);
  isHung = true;
  const { status, text } = await send(server, { path: root });
  // Whether its check fails before depends on the moment.
  expect([
    "error trying to reach service: context deadline exceeded\n",
    "service unavailable\n",
  ]).toContain(text);
  expect(status).toBe(503);
  const { message } = await reached(server, "FailedDiscoveryCheck");
  expect(message).toMatch(
    /^failing or missing response from (https:\S+): Get "\1": context deadline exceeded \(Client\.Timeout exceeded while awaiting headers\)$/,
  );
  expect((await send(server, { path: `${root}/things` })).text).toBe("service unavailable\n");
  await eventually(() => expect(hung.open()).toBe(0));
});

test("discovery ends in time even if its document never does", async () => {
  let open = 0;
  const server = await aggregatingServer({ clock: fastClock });
  const port = await extensionServer(({ url }, response) => {
    if (url !== root) {
      json(response, {}, 404);
      return;
    }
    open++;
    response.once("close", () => open--);
    response.writeHead(200, { "content-type": "application/json" }).write("{");
  });
  await addApi(server, port);
  await reached(server);
  // On a busy machine its check may fail for a moment.
  const response = await eventually(async () => {
    const found = await server.handle(toApiRequest({ path: root }));
    expect(found.status).toBe(200);
    return found;
  });
  await expect(
    (async () => {
      for await (const _ of response.body as AsyncIterable<Uint8Array>);
    })(),
  ).rejects.toThrow();
  await eventually(() => expect(open).toBe(0));
});

test("a server to which no connection opens delays nobody else", async () => {
  let dialled = 0;
  const network: Network = {
    ...noNetwork,
    dial: (_, signal) =>
      new Promise((_resolve, reject) => {
        dialled++;
        onAbort(signal, () => reject(signal.reason));
      }),
  };
  const server = await aggregatingServer({ clock: fastClock, network });
  await addApi(server, 443);
  await eventually(() => expect(dialled).toBeGreaterThan(0));
  const others = ["/apis", "/openapi/v2", "/openapi/v3", "/api/v1/pods", `/apis/${group}`];
  const statuses = await Promise.all(
    others.map(async (path) => (await send(server, { path })).status),
  );
  expect(statuses).toEqual(others.map(() => 200));
  const { message } = await reached(server, "FailedDiscoveryCheck");
  expect(message).toMatch(/^failing or missing response from /);
  expect((await send(server, { path: `${root}/things` })).text).toBe("service unavailable\n");
});

test("a rejected redirect closes its connection", async () => {
  let open = 0;
  const server = await aggregatingServer();
  const port = await extensionServer(({ url }, response) => {
    if (url !== `${root}/things`) {
      json(response, {});
      return;
    }
    open++;
    response.once("close", () => open--);
    response.writeHead(302, { location: "https://elsewhere" }).write("x");
  });
  await addApi(server, port);
  await reached(server);
  expect((await send(server, { path: `${root}/things` })).status).toBe(502);
  await eventually(() => expect(open).toBe(0));
});

each<[title: string, answer: RequestListener, status: number, text: string]>([
  [
    "rejects it with an error, which the client gets",
    (_, response) => response.writeHead(403, { "content-type": "text/plain" }).end("no\n"),
    403,
    "no\n",
  ],
  [
    "responds as if it were no upgrade",
    (_, response) => response.end("hello"),
    503,
    "invalid upgrade response: status code 200\n",
  ],
  ["ends the connection", ({ socket }) => socket.destroy(), 503, "EOF\n"],
])("an upgrade whose server %s", async (_, answer, status, text) => {
  const server = await aggregatingServer();
  const port = await extensionServer((request, response) => {
    if (request.headers.upgrade) answer(request, response);
    else json(response, {});
  });
  await addApi(server, port);
  await reached(server);
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  const answered = await send(server, { path: `${root}/things/a/exec`, headers: upgrade });
  expect([answered.status, answered.text]).toEqual([status, text]);
});
