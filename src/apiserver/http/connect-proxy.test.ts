import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { send, toApiRequest } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import {
  addNode,
  addPod,
  connectedServer,
  type IncomingMessage,
  listening,
  must,
  podIp,
  type ServerResponse,
} from "./kubelet.test-support.ts";

const pods = "/api/v1/namespaces/default/pods";

/** A server with a pod `web` that answers like this, and the path to it. */
async function podThat(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const { port } = await listening(answer, { isSecure: false });
  const server = await connectedServer();
  await addPod(server, 1, { status: { podIPs: [{ ip: podIp }] } });
  return { server, port, path: `${pods}/web:${port}/proxy` };
}

describe("a request to a pod", () => {
  test("is passed on with path, query, body and headers, except those for this server", async () => {
    const { server, path } = await podThat((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const { method, url, headers } = request;
        const body = Buffer.concat(pieces).toString();
        response.setHeader("X-Odd", ["1", "2"]);
        response.end(JSON.stringify({ method, url, headers, body }));
      });
    });
    const { status, headers, text } = await send(server, {
      method: "PATCH",
      path: `${path}/a%20b/c!/?x=1&y=%20`,
      headers: {
        host: "api.example",
        authorization: "Bearer secret",
        "impersonate-user": "somebody",
        "impersonate-group": "system:masters",
        "x-forwarded-for": "9.9.9.9",
        connection: "close, x-hop",
        "x-hop": "1",
        te: "gzip",
        "proxy-authorization": "p",
        cookie: "a=b",
      },
      body: { a: 1 },
    });
    const seen = JSON.parse(text) as Record<string, unknown>;
    expect({ status, ...seen }).toEqual({
      status: 200,
      method: "PATCH",
      url: "/a%20b/c%21/?x=1&y=%20",
      body: '{"a":1}',
      headers: {
        host: "api.example",
        accept: "application/json",
        "content-type": "application/json",
        "content-length": "7",
        connection: "close",
        cookie: "a=b",
        "x-forwarded-for": "9.9.9.9, 127.0.0.1",
        "x-forwarded-uri": `${path}/a%20b/c%21/`,
      },
    });
    expect(headers).toMatchObject({ "x-odd": ["1", "2"], "cache-control": ["no-cache, private"] });
  });

  test("without a slash at the end it is redirected", async () => {
    const { server, path } = await podThat((request, response) => response.end(request.url));
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, text } = await send(server, { method, path: `${path}?a=b` });
      expect([status, headers.location, text]).toEqual([301, `${path}/?a=b`, ""]);
    }
    expect((await send(server, { method: "POST", path })).text).toBe("/");
    expect((await send(server, { path: `${path}/` })).text).toBe("/");
  });

  test("cannot leave the pod's own paths", async () => {
    const { server, path } = await podThat((request, response) => response.end(request.url));
    expect((await send(server, { path: `${path}/a//b/%2e%2e/../../c` })).text).toBe("/c");
  });

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s is a method",
    async (method) => {
      const { server, path } = await podThat((request, response) => response.end(request.method));
      expect((await send(server, { method, path: `${path}/x` })).text).toBe(method);
    },
  );

  test("the pod handles any Accept header, and its errors are passed back", async () => {
    const { server, path } = await podThat((request, response) => {
      response.writeHead(418, { "content-type": "text/odd" }).end(request.headers.accept);
    });
    const { status, headers, text } = await send(server, {
      path: `${path}/`,
      headers: { accept: "text/odd" },
    });
    expect([status, headers["content-type"], text]).toEqual([418, "text/odd", "text/odd"]);
  });

  test("its redirects and links lead through the server", async () => {
    const page =
      '<!-- <a href="/no"> --><A HREF="/x?q=1">x</A><img src=/i/ ><a href="http://else/y">y</a>';
    const { server, path } = await podThat((request, response) => {
      if (request.url === "/go") response.writeHead(302, { location: "/there/?a=b" }).end("bye");
      else if (request.url === "/packed")
        response
          .writeHead(200, {
            "content-type": "text/html; charset=utf-8",
            "content-encoding": "gzip",
          })
          .end(gzipSync(page));
      else response.writeHead(200, { "content-type": "text/html" }).end(page);
    });
    const { headers, text } = await send(server, { path: `${path}/go` });
    expect([headers.location, text]).toEqual([`${path}/there/?a=b`, "bye"]);
    const rewritten = page.replace('"/x', `"${path}/x`).replace("=/i", `=${path}/i`);
    const plain = await send(server, { path: `${path}/page` });
    expect([plain.text, plain.headers["content-length"]]).toEqual([rewritten, undefined]);
    expect(gunzipSync(await bytesOf(server, `${path}/packed`)).toString()).toBe(rewritten);
  });

  test("CORS headers of the pod are dropped", async () => {
    const { server, path } = await podThat((_, response) => {
      response
        .setHeader("Access-Control-Allow-Origin", "*")
        .setHeader("Cache-Control", "max-age=9");
      response.end();
    });
    const { headers } = await send(server, { path: `${path}/` });
    expect(headers["access-control-allow-origin"]).toBe(undefined);
    expect(headers["cache-control"]).toEqual(["no-cache, private", "max-age=9"]);
  });

  test("the port is that of the first container, if none is given", async () => {
    const { port } = await listening((_, response) => response.end("hi"), { isSecure: false });
    const server = await connectedServer();
    await addPod(server, 1, { status: { podIPs: [{ ip: podIp }] } });
    await send(server, { method: "DELETE", path: `${pods}/web?gracePeriodSeconds=0` });
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: {
        containers: [
          { name: "a", image: "i" },
          { name: "b", image: "i", ports: [{ containerPort: port }] },
        ],
      },
    };
    await must(server, "POST", pods, pod);
    await must(server, "PUT", `${pods}/p/status`, { ...pod, status: { podIPs: [{ ip: podIp }] } });
    expect((await send(server, { path: `${pods}/p/proxy/` })).text).toBe("hi");
  });

  test("https is used where the path asks for it, and any certificate is accepted", async () => {
    const { port } = await listening((_, response) => response.end("safe"));
    const server = await connectedServer();
    await addPod(server, 1, { status: { podIPs: [{ ip: podIp }] } });
    expect((await send(server, { path: `${pods}/https:web:${port}/proxy/` })).text).toBe("safe");
    const plain = await send(server, { path: `${pods}/http:web:${port}/proxy/` });
    expect(plain.text).not.toBe("safe");
  });

  const refused = [
    [
      "web:1",
      [{ ip: podIp }],
      503,
      `error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused`,
    ],
    [
      "web:99999",
      [{ ip: podIp }],
      503,
      "error trying to reach service: dial tcp: address 99999: invalid port",
    ],
    ["ftp:web:1", [{ ip: podIp }], 400, 'invalid pod request "ftp:web:1"'],
    ["a:b:c:d", [{ ip: podIp }], 400, 'invalid pod request "a:b:c:d"'],
    ["other", [{ ip: podIp }], 404, 'pods "other" not found'],
    ["web", [], 400, "address not allowed"],
    ["web", [{ ip: "127.0.0.1" }], 400, "address not allowed"],
    ["web", [{ ip: "169.254.169.254" }], 400, "address not allowed"],
    ["web", [{ ip: "::1" }], 400, "address not allowed"],
  ] as const;
  test.each(refused)("to %s at %j is refused with %d", async (name, podIPs, status, message) => {
    const server = await connectedServer();
    await addPod(server, 1, { status: { podIPs } });
    const answer = await send(server, { path: `${pods}/${name}/proxy/` });
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([status, message]);
  });

  test("a pod that says nothing for too long is given up with the client", async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const controller = new AbortController();
    const { server, path } = await podThat((request) => {
      request.socket.on("close", closed);
      controller.abort();
    });
    const answer = await send(server, { path: `${path}/`, signal: controller.signal });
    expect(answer.status).toBe(503);
    await gone;
  });

  test("a dry run is not known", async () => {
    const { server, path } = await podThat((_, response) => response.end());
    const { status, text } = await send(server, { path: `${path}/?dryRun=All` });
    expect([status, JSON.parse(text).message]).toEqual([400, "dryRun is not supported"]);
  });
});

describe("a request to a service", () => {
  const services = "/api/v1/namespaces/default/services";

  async function serviceWith(address: object, port: number) {
    const server = await connectedServer();
    await addPod(server, 1, { status: { podIPs: [{ ip: podIp }] } });
    await must(server, "POST", services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: {
        ports: [
          { name: "http", port: 80 },
          { name: "other", port: 81 },
        ],
      },
    });
    await must(server, "POST", "/api/v1/namespaces/default/endpoints", {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name: "s" },
      subsets: [{ addresses: [address], ports: [{ name: "http", port }] }],
    });
    return server;
  }
  const ours = { ip: podIp, targetRef: { kind: "Pod", namespace: "default", name: "web" } };

  test("goes to one of its pods, by the name or number of a port", async () => {
    const { port } = await listening((request, response) => response.end(request.url), {
      isSecure: false,
    });
    const server = await serviceWith(ours, port);
    for (const name of ["s:http", "s:80", "http:s:http"])
      expect((await send(server, { path: `${services}/${name}/proxy/a` })).text).toBe("/a");
  });

  test("is rejected where there is no such port, or no endpoint", async () => {
    const server = await serviceWith(ours, 1);
    const said = async (name: string) => {
      const { status, text } = await send(server, { path: `${services}/${name}/proxy/` });
      return [status, JSON.parse(text).message];
    };
    expect(await said("s:82")).toEqual([503, 'no service port 82 found for service "s"']);
    expect(await said("s:81")).toEqual([503, 'no endpoints available for service "s:81"']);
    expect(await said("s")).toEqual([503, 'no endpoints available for service "s"']);
    expect(await said("x:http")).toEqual([404, 'services "x" not found']);
    expect(await said("s:http")).toEqual([
      503,
      "error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused",
    ]);
  });

  test.each([
    ["no pod", { ip: podIp }],
    ["another pod's", { ip: "10.9.9.9", targetRef: ours.targetRef }],
    [
      "another namespace's",
      { ip: podIp, targetRef: { ...ours.targetRef, namespace: "kube-system" } },
    ],
  ])("does not go to an address that is %s", async (_, address) => {
    const server = await serviceWith(address, 1);
    const { status } = await send(server, { path: `${services}/s:http/proxy/` });
    expect(status).toBe(503);
  });
});

describe("a request to a node", () => {
  test("goes to its kubelet, or to another port of it", async () => {
    const kubelet = await listening((request, response) => response.end(`kubelet ${request.url}`));
    const { port } = await listening((_, response) => response.end("other"), { isSecure: false });
    const server = await connectedServer();
    await addNode(server, kubelet.port, podIp);
    const text = async (path: string) =>
      (await send(server, { path: `/api/v1/nodes/${path}` })).text;
    expect(await text("n1/proxy/metrics?a=b")).toBe("kubelet /metrics?a=b");
    expect(await text(`n1:${kubelet.port}/proxy/x`)).toBe("kubelet /x");
    expect(await text(`n1:${port}/proxy/`)).toBe("other");
  });

  test("does not go to this machine, by address or name", async () => {
    const server = await connectedServer();
    await addNode(server, 1);
    const answer = await send(server, { path: "/api/v1/nodes/n1/proxy/" });
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([400, "address not allowed"]);
    await must(server, "PUT", "/api/v1/nodes/n1/status", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      status: { addresses: [{ type: "Hostname", address: "localhost" }] },
    });
    const named = await send(server, { path: "/api/v1/nodes/n1/proxy/" });
    expect(JSON.parse(named.text).message).toBe("address not allowed");
  });
});

async function bytesOf(server: ApiServer, path: string): Promise<Buffer> {
  const { body } = await server.handle(toApiRequest({ path }));
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}
