// @ts-check
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives work a server with a pod, and the environment in which kubectl finds it.
 *
 * @param {(env: Readonly<Record<string, string>>) => Promise<unknown>} work
 */
export async function withPodServer(work) {
  const home = mkdtempSync(join(tmpdir(), "wherry-warm-"));
  const server = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    const [type, body] = responses[path] ?? responses["/apis"] ?? [];
    response.setHeader("content-type", String(type)).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const config = join(home, "config");
  writeFileSync(config, kubeconfig(port));
  try {
    await work({ HOME: home, KUBECONFIG: config });
  } finally {
    server.close();
    rmSync(home, { recursive: true });
  }
}

/** @param {number} port */
const kubeconfig = (port) => `apiVersion: v1
kind: Config
current-context: warm
contexts:
- name: warm
  context: {cluster: warm, user: warm}
clusters:
- name: warm
  cluster: {server: "http://127.0.0.1:${port}"}
users:
- name: warm
  user: {}
`;

const groups = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const discovery = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
};
const pods = {
  resource: "pods",
  responseKind: { group: "", version: "v1", kind: "Pod" },
  scope: "Namespaced",
  singularResource: "pod",
  verbs: ["get", "list"],
  shortNames: ["po"],
};
const row = {
  cells: ["web-0", "1/1"],
  object: { metadata: { name: "web-0", namespace: "default" } },
};

/** @type {Readonly<Record<string, readonly [type: string, body: object]>>} */
const responses = {
  "/api": [
    groups,
    { ...discovery, items: [{ metadata: {}, versions: [{ version: "v1", resources: [pods] }] }] },
  ],
  "/apis": [groups, { ...discovery, items: [] }],
  "/api/v1/namespaces/default/pods": [
    "application/json",
    {
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "1" },
      columnDefinitions: [
        { name: "Name", type: "string", format: "name", description: "", priority: 0 },
        { name: "Ready", type: "string", format: "", description: "", priority: 0 },
      ],
      rows: [row],
    },
  ],
};
