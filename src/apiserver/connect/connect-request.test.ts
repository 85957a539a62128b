import { describe, expect, test } from "vitest";
import type { ByteStream, DialTarget, Network } from "../../base/network.ts";
import type { Attributes } from "../admission/admission.ts";
import { resourceAttributes } from "../authorization/attributes.ts";
import { toApiRequest } from "../in-process.test-support.ts";
import { anyForm } from "../request/negotiation.ts";
import { Query } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import { parsePath } from "../request/request-info.ts";
import {
  context,
  coreKind,
  openParts,
  resources,
  type TestParts,
  write,
} from "../verbs/verb-parts.test-support.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { connect, passesBody } from "./connect-request.ts";

const pod = "/api/v1/namespaces/default/pods/web";

/** A parts with a pod on a node. */
async function withPod(): Promise<TestParts> {
  const parts = await openParts();
  const addresses = [{ type: "InternalIP", address: "10.0.0.9" }];
  await write(parts, coreKind("Node"), "n1", { status: { addresses } });
  const spec = { nodeName: "n1", containers: [{ name: "main", image: "i" }] };
  await write(parts, coreKind("Pod"), "web", { spec, status: { podIPs: [{ ip: "10.1.1.1" }] } });
  return parts;
}

/** Sends a request to what connects, as somebody who may do anything. */
function ask(
  parts: VerbParts,
  { path, network, method = "POST" }: { path: string; network: Network; method?: string },
): Promise<ApiResponse> {
  const request = toApiRequest({ path, method, headers: { connection: "upgrade", upgrade: "x" } });
  const target = parsePath(request.path);
  if (target?.type !== "resource") throw new Error(`${path} is no path of a resource`);
  const { resource } = target;
  const kind = resources.find("", "v1", resource.resource);
  if (!kind) throw new Error(`${path} is of no kind`);
  const { user } = context();
  const attributes = resourceAttributes(user, "create", { ...resource, path: request.path });
  const query = new Query(request.query);
  const asked = { request, path: resource, kind, query, attributes, parts, resources };
  return connect({ ...asked, accept: anyForm, warnings: [] }, { network, kubelet: {} });
}

/** A network on which everybody upgrades at once, and says back what is said to them. */
function echoing(dialled: DialTarget[]): Network {
  return {
    lookup: async (host) => [host],
    async dial(target) {
      dialled.push(target);
      return echo("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n");
    },
  };
}

function echo(greeting: string): ByteStream {
  const said: (Uint8Array | undefined)[] = [new TextEncoder().encode(greeting)];
  let isAsked = false;
  let wake = (): void => {};
  const say = (bytes: Uint8Array | undefined): void => {
    said.push(bytes);
    wake();
  };
  return {
    async read() {
      while (said.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return said.shift();
    },
    async write(bytes) {
      // The first that is said is the request.
      if (isAsked) say(bytes);
      isAsked = true;
    },
    end: async () => say(undefined),
    destroy() {},
  };
}

describe("connect", () => {
  const connections: readonly (readonly [path: string, subresource: string, options: object])[] = [
    [
      `${pod}/exec?command=a&command=b&stdin=1&container=main`,
      "exec",
      { kind: "PodExecOptions", container: "main", stdin: true, command: ["a", "b"] },
    ],
    [`${pod}/exec`, "exec", { kind: "PodExecOptions", command: [] }],
    [`${pod}/attach?stdout=1&tty=0`, "attach", { kind: "PodAttachOptions", stdout: true }],
    [
      `${pod}/portforward?ports=1,2`,
      "portforward",
      { kind: "PodPortForwardOptions", ports: [1, 2] },
    ],
    [`${pod}/proxy`, "proxy", { kind: "PodProxyOptions" }],
    [`${pod}:80/proxy/a/b?c`, "proxy", { kind: "PodProxyOptions", path: "/a/b" }],
    ["/api/v1/nodes/n1/proxy/x", "proxy", { kind: "NodeProxyOptions", path: "/x" }],
  ];
  test.each(connections)("admission sees %s as it is", async (path, subresource, options) => {
    const seen: Attributes[] = [];
    const see = async (attributes: unknown) => void seen.push(attributes as Attributes);
    const parts = { ...(await withPod()), admission: { admit: see, validate: see } };
    await ask(parts, { path, network: echoing([]) });
    const expected = {
      operation: "CONNECT",
      subresource,
      object: { apiVersion: "v1", ...options },
    };
    expect(seen).toMatchObject([expected, expected]);
    expect(seen[0]?.object).toEqual(expected.object);
  });

  test("a request that admission rejects opens no connection", async () => {
    const dialled: DialTarget[] = [];
    const refuse = async () => {
      throw new Error("no");
    };
    const parts = { ...(await withPod()), admission: { admit: refuse, validate: refuse } };
    const asked = ask(parts, { path: `${pod}/exec`, network: echoing(dialled) });
    await expect(asked).rejects.toThrow("no");
    expect(dialled).toEqual([]);
  });

  test("needs no socket: bytes go through in process", async () => {
    const dialled: DialTarget[] = [];
    const parts = await withPod();
    const response = await ask(parts, { path: `${pod}/exec`, network: echoing(dialled) });
    expect(dialled).toMatchObject([{ host: "10.0.0.9", port: 10250, tls: { insecure: true } }]);
    expect([response.status, response.headers]).toEqual([
      101,
      { connection: "Upgrade", upgrade: "x" },
    ]);
    const heard: string[] = [];
    const toSay = ["one", "two"];
    await response.takeOver?.({
      async read() {
        const text = toSay.shift();
        return text === undefined ? undefined : new TextEncoder().encode(text);
      },
      write: async (bytes) => void heard.push(new TextDecoder().decode(bytes)),
      async end() {},
      destroy() {},
    });
    expect(heard).toEqual(["one", "two"]);
  });

  test("connecting times out", async () => {
    const parts = await withPod();
    const never: Network = { lookup: async (host) => [host], dial: () => new Promise(() => {}) };
    const asked = ask(parts, { path: `${pod}/exec`, network: never });
    const refused = expect(asked).rejects.toThrow(
      "error dialing backend: dial tcp 10.0.0.9:10250: i/o timeout",
    );
    // What is looked up before takes a few turns.
    for (let i = 0; i < 20; i++) await Promise.resolve();
    await parts.clock.advance(30_000);
    await refused;
  });
});

test.each([
  [`${pod}/proxy`, true],
  [`${pod}/proxy/x`, true],
  ["/api/v1/nodes/n1/proxy/", true],
  ["/api/v1/namespaces/proxy/pods", false],
  ["/api/v1/namespaces/a/configmaps/proxy", false],
  ["/proxy", false],
])("passesBody: %s %s", (path, passes) => {
  expect(passesBody(path)).toBe(passes);
});
