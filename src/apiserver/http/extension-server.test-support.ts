import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { testAuthority } from "../../../test/certificates.ts";
import { eventually } from "../../../test/eventually.ts";
import type { APIService, APIServiceCondition } from "../../api/apiregistration/v1/api-service.ts";
import type { Network } from "../../base/network.ts";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { issueCertificate, issuerFrom } from "../../platform/pki/x509.ts";
import { realNetwork } from "../../platform/real-network.ts";
import { send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import type { ApiServerOptions } from "../server-options.ts";
import { connectedServer, listening, must, type OnUpgrade } from "./kubelet.test-support.ts";

const end = Date.now() + 3_600_000;

/** The authority of extension servers in tests, and that of front proxies. */
const extensionCa = testAuthority(end);
const proxyCa = testAuthority(end);

/** A certificate that an authority has signed. */
function signedBy(
  authority: KeyPair,
  { commonName = "test", dnsNames = [] as string[], organizations = [] as string[] },
): KeyPair {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = issueCertificate({
    subject: { commonName, organizations },
    issuer: issuerFrom(new X509Certificate(authority.cert), createPrivateKey(authority.key)),
    publicKey: createPublicKey(privateKey),
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(end),
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    dnsNames,
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** The name by which the server of `addApi` is called. */
const serverName = "api.default.svc";

/** The machine's network, on which the addresses of services are this machine. */
const network: Network = {
  ...realNetwork,
  dial: (target, signal) => realNetwork.dial({ ...target, host: "127.0.0.1" }, signal),
};

/** An API server that reaches the services of its cluster, as a front proxy; it ends with the test. */
export const aggregatingServer = (options: Partial<ApiServerOptions> = {}): Promise<ApiServer> => {
  const proxyClient = signedBy(proxyCa, { commonName: "front-proxy-client" });
  return connectedServer({ network, aggregation: { proxyClient }, ...options });
};

/** A server that knows front proxies by their certificates; it ends with the test. */
export async function extensionServer(
  answer: RequestListener,
  { onUpgrade, names = [serverName] }: { onUpgrade?: OnUpgrade; names?: string[] } = {},
): Promise<number> {
  const tls = {
    ...signedBy(extensionCa, { dnsNames: names }),
    ca: proxyCa.cert,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const { port } = await listening(answer, { tls, ...(onUpgrade && { onUpgrade }) });
  return port;
}

export const group = "test.example.com";
export const apiName = `v1.${group}`;
export const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

/** Registers an API that listens on a port, with its service and an endpoint. */
export async function addApi(server: ApiServer, port: number, spec: object = {}): Promise<void> {
  await addService(server, port);
  await must(server, "POST", apiServices, registration(port, spec));
}

export const registration = (port: number, spec: object = {}) => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: apiName },
  spec: {
    group,
    version: "v1",
    service: { namespace: "default", name: "api", port },
    caBundle: btoa(extensionCa.cert),
    groupPriorityMinimum: 1000,
    versionPriority: 100,
    ...spec,
  },
});

/** Makes the service of the API, and a slice with an endpoint. */
export async function addService(server: ApiServer, port: number): Promise<void> {
  await must(server, "POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "api" },
    spec: { ports: [{ name: "https", port }] },
  });
  await must(server, "POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { name: "api-1", labels: { "kubernetes.io/service-name": "api" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: true } }],
    ports: [{ name: "https", port }],
  });
}

/** The condition Available of the API. */
async function condition(server: ApiServer): Promise<Partial<APIServiceCondition>> {
  const { text } = await send(server, { path: `${apiServices}/${apiName}` });
  const { status } = JSON.parse(text) as APIService;
  const [first] = status?.conditions ?? [];
  const { lastTransitionTime: _, ...found } = first ?? {};
  return found;
}

/** Waits until the API is available, or unavailable for this reason. */
export const reached = (server: ApiServer, reason = "Passed") =>
  eventually(async () => {
    const found = await condition(server);
    if (found.reason !== reason) throw new Error(`${found.reason}: ${found.message}`);
    return found;
  });

/** Answers as a JSON document. */
export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
};

export type { IncomingMessage, OnUpgrade, RequestListener, ServerResponse };
