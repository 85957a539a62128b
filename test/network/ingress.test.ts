import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { request as tlsRequest } from "node:https";
import type { Socket } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { expect } from "vitest";
import { newMachine } from "../../src/cluster/up/machine.test-support.ts";
import { ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { encodeName, issueCertificate } from "../../src/platform/pki/x509.ts";
import { eventually } from "../eventually.ts";
import { projectRoot } from "../project.ts";
import { requires, testWith } from "../requires.ts";
import { bundleExample } from "./example-program.test-support.ts";
import { startLoad } from "./load.test-support.ts";
import { programImage } from "./program-image.test-support.ts";

const minutes = 240_000;
/** As in the manifests of the example. */
const image = "registry.test/ingress:1";

/** It says its name and what it was told of the client, and upgrades connections to an echo. */
const backendProgram = `
import { createServer } from "node:http";
const server = createServer(({ url, headers }, response) => {
  response.end([process.env.HOSTNAME, url, headers["x-forwarded-proto"], headers["x-forwarded-for"]].join(" "));
});
server.on("upgrade", ({ headers }, socket) => {
  socket.write("HTTP/1.1 101 \\r\\nconnection: upgrade\\r\\nupgrade: " + headers.upgrade + "\\r\\n\\r\\n");
  socket.pipe(socket);
});
process.once("SIGTERM", () => process.exit());
server.listen(8080);
`;

const backend = (name: string) => [
  {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              ...{ name: "web", image, command: ["/usr/bin/node", "/app/backend.mjs"] },
              readinessProbe: {
                ...{ periodSeconds: 1, failureThreshold: 1 },
                exec: {
                  command: [
                    "sh",
                    "-c",
                    "test ! -e /tmp/unready && nc -w1 127.0.0.1 8080 </dev/null",
                  ],
                },
              },
            },
          ],
        },
      },
    },
  },
  {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name } },
    spec: { selector: { app: name }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  },
];

const to = (name: string) => ({ service: { name, port: { name: "http" } } });
const rule = (host: string, paths: readonly object[]) => ({ host, http: { paths } });
const ingress = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "web" } },
  spec: {
    ingressClassName: "example",
    tls: [{ hosts: ["one.test"], secretName: "one-tls" }],
    rules: [
      rule("one.test", [
        { path: "/", pathType: "Prefix", backend: to("one") },
        { path: "/two", pathType: "Prefix", backend: to("two") },
      ]),
      rule("*.wild.test", [{ path: "/exact", pathType: "Exact", backend: to("two") }]),
    ],
  },
};

testWith(requires("boxes", "kubectl", "nft"))(
  "examples/ingress: in a cluster with real nodes, the machine reaches two services through it",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "2")).toMatchObject({ code: 0 });
    const files = [
      { name: "app/main.mjs", content: await bundleExample("ingress") },
      { name: "app/backend.mjs", content: backendProgram },
    ];
    const Entrypoint = ["/usr/bin/node", "/app/main.mjs"];
    const built = programImage([process.execPath], { files, Entrypoint, Cmd: [] });
    const archive = await buffer(ociArchive(built, image));
    expect(await machine.feed(archive, "image", "load", "--cluster", "wherry", "-")).toMatchObject({
      code: 0,
    });

    const manifests = join(machine.dir, "manifests.json");
    const items = [...backend("one"), ...backend("two"), ingress];
    writeFileSync(manifests, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const { cert, key } = certificateFor("one.test");
    const [certFile, keyFile] = [join(machine.dir, "tls.crt"), join(machine.dir, "tls.key")];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    const apply = join(projectRoot, "examples", "ingress", "ingress.yaml");
    expect(await kubectl("apply", "-f", apply)).toMatchObject({ code: 0 });
    await kubectl("create", "secret", "tls", "one-tls", `--cert=${certFile}`, `--key=${keyFile}`);
    expect(await kubectl("apply", "-f", manifests)).toMatchObject({ code: 0 });
    for (const [namespace, name] of [
      ["ingress", "ingress"],
      ["default", "one"],
      ["default", "two"],
    ])
      expect(
        await kubectl(
          "rollout",
          "status",
          "-n",
          `${namespace}`,
          `deployment/${name}`,
          "--timeout=90s",
        ),
      ).toMatchObject({ code: 0 });
    const path = "jsonpath={.status.loadBalancer.ingress[0].ip}";
    const address = await eventually(async () => {
      const { stdout } = await kubectl("get", "ingress", "web", "-o", path);
      expect(stdout).toMatch(/^[0-9.]+$/);
      return stdout;
    });

    const ask = async (host: string, url: string, options: { readonly ca?: string } = {}) => {
      const { statusCode, ...rest } = await send(address, host, url, options);
      return `${statusCode} ${rest.body}`;
    };
    // From the address of this machine, which a Service with the policy Local preserves.
    const seen = (name: string, url: string, protocol = "http") =>
      expect.stringMatching(new RegExp(`^200 ${name}-\\S+ ${url} ${protocol} \\S+\\.1$`));
    await eventually(async () =>
      expect(await ask("one.test", "/a?b")).toEqual(seen("one", "/a\\?b")),
    );
    expect(await ask("one.test", "/two/c")).toEqual(seen("two", "/two/c"));
    expect(await ask("x.wild.test", "/exact")).toEqual(seen("two", "/exact"));
    expect(await ask("x.wild.test", "/exact/")).toBe("404 404\n");
    expect(await ask("other.test", "/")).toBe("404 404\n");
    expect(await ask("one.test", "/", { ca: cert })).toEqual(seen("one", "/", "https"));
    const upgraded = await upgrade(address, "one.test");
    upgraded.end("over a WebSocket");
    expect(await text(upgraded)).toBe("over a WebSocket");

    // An endpoint that is not ready gets no requests, and none is lost meanwhile.
    const pods = (await kubectl("get", "pods", "-l", "app=one", "-o", "name")).stdout;
    const [unready = "", other = ""] = pods
      .trim()
      .split("\n")
      .map((name) => name.slice(4));
    await kubectl("exec", unready, "--", "touch", "/tmp/unready");
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask("one.test", "/")));
      expect(answers.every((answer) => answer.startsWith("200 one-"))).toBe(true);
      expect(answers.every((answer) => answer.includes(other))).toBe(true);
    });
    const condition = "jsonpath={.status.conditions[?(@.type=='Ready')].status}";
    expect((await kubectl("get", "pod", unready, "-o", condition)).stdout).toBe("False");
    await kubectl("exec", unready, "--", "rm", "/tmp/unready");

    // The proxy itself is replaced without a lost request.
    const load = startLoad(() => ask("one.test", "/"));
    await kubectl("rollout", "restart", "-n", "ingress", "deployment/ingress");
    expect(
      await kubectl("rollout", "status", "-n", "ingress", "deployment/ingress", "--timeout=90s"),
    ).toMatchObject({ code: 0 });
    await eventually(async () => {
      const { stdout } = await kubectl("get", "pods", "-n", "ingress", "-o", "name");
      expect(stdout.trim().split("\n")).toHaveLength(2);
    });
    const answers = (await load.stop()).map(({ answer }) => answer);
    expect(answers.filter((answer) => !answer.startsWith("200 "))).toEqual([]);
    expect(answers.length).toBeGreaterThan(100);
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);

const send = (host: string, servername: string, path: string, options: { ca?: string } = {}) =>
  new Promise<{ statusCode: number | undefined; body: string }>((resolve, reject) => {
    const ask = options.ca === undefined ? request : tlsRequest;
    const headers = { host: servername };
    ask({ host, path, headers, servername, agent: false, timeout: 10_000, ...options })
      .on("response", (response: IncomingMessage) =>
        text(response).then((body) => resolve({ statusCode: response.statusCode, body }), reject),
      )
      .on("timeout", function (this: { destroy(error: Error): void }) {
        this.destroy(new Error("timeout"));
      })
      .on("error", reject)
      .end();
  });

const upgrade = (host: string, name: string) =>
  new Promise<Socket>((resolve, reject) => {
    const headers = { host: name, connection: "Upgrade", upgrade: "websocket" };
    request({ host, path: "/", headers })
      .on("upgrade", (_, socket) => resolve(socket as Socket))
      .on("response", ({ statusCode }) => reject(new Error(`status ${statusCode}`)))
      .on("error", reject)
      .end();
  });

/** A certificate that is its own authority. */
function certificateFor(name: string): { readonly cert: string; readonly key: string } {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { commonName: name, organizations: [] };
  const cert = issueCertificate({
    ...{ subject, issuer: { name: encodeName(subject), key }, publicKey: createPublicKey(key) },
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    dnsNames: [name],
    isCa: true,
    keyUsage: ["digitalSignature", "keyCertSign"],
  });
  return { cert, key: key.export({ type: "pkcs8", format: "pem" }).toString() };
}
