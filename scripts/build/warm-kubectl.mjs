// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Lists pods of a server that has one, as the first start of kubectl: what it compiles is kept for the next starts.
 *
 * @param {string} program
 */
export async function warmKubectl(program) {
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
    const child = spawn(process.execPath, [program, "kubectl", "get", "pods"], {
      env: { HOME: home, KUBECONFIG: config },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`kubectl get pods ended with ${code}`);
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
