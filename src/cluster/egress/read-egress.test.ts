import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { readEgress } from "./read-egress.ts";

const folder = await mkdtemp(join(tmpdir(), "egress-"));
const path = join(folder, "egress.yaml");

async function read(configuration: object | string): Promise<unknown> {
  await writeFile(
    path,
    typeof configuration === "string" ? configuration : JSON.stringify(configuration),
  );
  return readEgress(path).catch((error: Error) => error.message);
}

const head = { apiVersion: "apiserver.k8s.io/v1beta1", kind: "EgressSelectorConfiguration" };
const selected = (...egressSelections: object[]) => ({ ...head, egressSelections });
const cluster = (proxyProtocol: string, transport?: object) => ({
  name: "cluster",
  connection: { proxyProtocol, transport },
});
const missing = { url: "https://x", tlsConfig: { caBundle: "/nope" } };
const invalid = "failed to validate egress selector configuration: ";
const unread = "failed to read egress selector config: ";

each<[what: string, configuration: object | string, outcome: unknown]>([
  ["nothing", head, {}],
  ["direct", selected(cluster("Direct")), { cluster: { protocol: "direct" } }],
  [
    "a konnectivity server",
    selected(cluster("GRPC", { uds: { udsName: "/run/k" } })),
    { cluster: { protocol: "grpc", socket: "/run/k" } },
  ],
  [
    "a proxy at a socket",
    selected({ ...cluster("HTTPConnect", { uds: { udsName: "/run/k" } }), name: "ControlPlane" }),
    { controlplane: { protocol: "http_connect", socket: "/run/k" } },
  ],
  [
    "a proxy without TLS",
    selected(cluster("HTTPConnect", { tcp: { url: "http://[::1]:8131" } })),
    { cluster: { protocol: "http_connect", host: "::1", port: 8131 } },
  ],
  [
    "the control plane by its former name",
    {
      ...selected({ ...cluster("Direct"), name: "master" }),
      apiVersion: "apiserver.k8s.io/v1alpha1",
    },
    { controlplane: { protocol: "direct" } },
  ],
  [
    "all that can be wrong",
    selected(
      cluster("HTTPConnect", { tcp: { ...missing, url: "ftp://x" } }),
      { ...cluster("GRPC", { tcp: { url: "https://x" } }), name: "Cluster" },
      { ...cluster("Direct", { uds: { udsName: "x" } }), name: "foo" },
      { ...cluster("x"), name: "etcd" },
      { ...cluster("HTTPConnect", { tcp: missing, uds: { udsName: "" } }), name: "etcd" },
      { ...cluster("HTTPConnect", { tcp: missing }), name: "controlplane" },
    ),
    `${invalid}[service.connection.url: Invalid value: "ftp://x": supported connection protocols are http:// and https://, service.connection.uds: Required value: UDS must be set with GRPC, service.connection.transport: Invalid value: "direct": config must be absent for direct connect, service.connection.protocol: Unsupported value: "x": supported values: "Direct", "HTTPConnect", "GRPC", service.connection.tcp: Invalid value: {"URL":"https://x","TLSConfig":{"CABundle":"/nope","ClientKey":"","ClientCert":"","TLSServerName":""}}: TCP and UDS cannot both be set, service.connection.tlsConfig.caBundle: Invalid value: "/nope": TLS config ca bundle does not exist, service.connection.tlsConfig.clientCert: Invalid value: "nil": Using TLS requires clientCert, service.connection.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey, service.connection[1]: Duplicate value: "cluster", service.connection: Unsupported value: "foo": supported values: "cluster", "controlplane", "etcd", service.connection[4]: Duplicate value: "etcd"]`,
  ],
  [
    "no transport",
    selected(cluster("HTTPConnect")),
    `${invalid}service.connection.transport: Required value: transport must be set for HTTPConnect`,
  ],
  [
    "an empty transport",
    selected(cluster("HTTPConnect", {})),
    `${invalid}service.connection.tcp: Required value: One of TCP or UDS must be set`,
  ],
  [
    "a socket without a name",
    selected(cluster("GRPC", { uds: {} })),
    `${invalid}service.connection.udsName: Invalid value: "nil": must be present for UDS connections`,
  ],
  [
    "TLS without files",
    selected(cluster("HTTPConnect", { tcp: { url: "https://x" } })),
    `${invalid}service.connection.tlsConfig: Required value: TLSConfig must be present when using HTTPS`,
  ],
  [
    "files without TLS",
    selected(cluster("HTTPConnect", { tcp: { url: "http://x", tlsConfig: {} } })),
    `${invalid}service.connection.tlsConfig: Invalid value: "nil": config must not be present when using HTTP`,
  ],
  [
    "an unknown field",
    selected({ ...cluster("Direct"), bogus: 1 }),
    `${unread}strict decoding error: unknown field "egressSelections[0].bogus"`,
  ],
  [
    "a version that there is not",
    { ...head, apiVersion: "apiserver.k8s.io/v1" },
    `${unread}no kind "EgressSelectorConfiguration" is registered for version "apiserver.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/server/egressselector/config.go:33"`,
  ],
])("readEgress: %s", async (_, configuration, outcome) => {
  expect(await read(configuration)).toEqual(outcome);
});

test("readEgress: a client certificate for the proxy", async () => {
  const { cert, key } = selfSigned();
  const file = (name: string) => join(folder, name);
  await writeFile(file("cert"), cert);
  await writeFile(file("key"), key);
  const tlsConfig = {
    ...{ caBundle: file("cert"), clientCert: file("cert"), clientKey: file("key") },
    tlsServerName: "proxy",
  };
  expect(
    await read(selected(cluster("HTTPConnect", { tcp: { url: "https://x", tlsConfig } }))),
  ).toEqual({
    cluster: {
      ...{ protocol: "http_connect", host: "x", port: 443 },
      tls: { ca: cert, cert, key, serverName: "proxy" },
    },
  });
  const swapped = { ...tlsConfig, clientKey: file("cert") };
  expect(
    await read(selected(cluster("HTTPConnect", { tcp: { url: "https://x", tlsConfig: swapped } }))),
  ).toMatch(
    /^failed to setup egress selector: failed to create dialer for egressSelection "cluster": /,
  );
});

test("readEgress: no file", async () => {
  await expect(readEgress("/nope.yaml")).rejects.toThrow(
    `${unread}unable to read egress selector configuration from "/nope.yaml" [open /nope.yaml: no such file or directory]`,
  );
});
