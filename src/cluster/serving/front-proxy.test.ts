import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../test/support/apiserver.test-support.ts";

type Server = Awaited<ReturnType<typeof startWith>>;

/** The user of a request with this certificate and these headers, or the status of its rejection. */
async function userOf(
  server: Server,
  { cert, key }: { readonly cert: string; readonly key: string },
  headers: Readonly<Record<string, string | string[]>>,
) {
  const identity = { cert: readFileSync(cert), key: readFileSync(key) };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const review = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const body = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
  const { status, text } = await ask(server, path, { ...identity, ...review }, body);
  return status === 201 ? JSON.parse(text).status.userInfo : status;
}

const own = (server: Server, name: string) => ({
  cert: join(server.dir, `pki/${name}.crt`),
  key: join(server.dir, `pki/${name}.key`),
});

const headers = {
  "X-Remote-User": Buffer.from("jürgen").toString("latin1"),
  "X-Remote-Uid": "u1",
  "X-Remote-Group": ["a, b", "c"],
  "X-Remote-Extra-Acme.com%2fproject": ["p", "q"],
};
const named = {
  username: "jürgen",
  uid: "u1",
  groups: ["a, b", "c", "system:authenticated"],
  extra: { "acme.com/project": ["p", "q"] },
};

test("front proxy: the cluster's own names the user of a request, and is no user itself", async () => {
  const server = await startWith(testDir());
  const proxy = own(server, "front-proxy-client");
  expect(await userOf(server, proxy, headers)).toEqual(named);
  expect(await userOf(server, proxy, {})).toBe(401);
  // A client names nobody but itself.
  expect(await userOf(server, own(server, "admin"), headers)).toMatchObject({ username: "admin" });
  const { text } = await ask(
    server,
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
    {
      cert: readFileSync(own(server, "admin").cert),
      key: readFileSync(own(server, "admin").key),
    },
  );
  const { data } = JSON.parse(text);
  expect(data).toEqual({
    "client-ca-file": readFileSync(join(server.dir, "pki/ca.crt"), "utf8"),
    "requestheader-client-ca-file": readFileSync(
      join(server.dir, "pki/front-proxy-ca.crt"),
      "utf8",
    ),
    "requestheader-allowed-names": '["front-proxy-client"]',
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-uid-headers": '["X-Remote-Uid"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
  });
});

test("front proxy: only those that flags allow name users", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const server = await startWith(
    dir,
    ...["--requestheader-client-ca-file", authority.file],
    ...["--requestheader-allowed-names", "proxy"],
    ...["--requestheader-username-headers", "X-Remote-User"],
    ...["--requestheader-group-headers", "X-Remote-Group"],
  );
  const { username, groups } = named;
  expect(await userOf(server, authority.issue("proxy"), headers)).toEqual({ username, groups });
  expect(await userOf(server, authority.issue("other"), headers)).toBe(401);
  expect(await userOf(server, own(server, "front-proxy-client"), headers)).toBe(401);
});

/** The port of a server that responds with the common name of its client. */
async function startPeer(authority: TestAuthority): Promise<number> {
  const { cert, key } = authority.issue("api", { dnsNames: ["api.default.svc"] });
  const tls = { cert: readFileSync(cert), key: readFileSync(key), requestCert: true };
  const server = createServer({ ...tls, ca: readFileSync(authority.file) }, (request, response) =>
    response.end((request.socket as TLSSocket).getPeerCertificate().subject?.CN),
  );
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("front proxy: calls other API servers with a certificate of its own, which may be replaced", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const first = authority.issue("first");
  const second = authority.issue("second");
  const server = await startWith(
    dir,
    ...["--proxy-client-cert-file", first.cert, "--proxy-client-key-file", first.key],
  );
  const port = await startPeer(authority);
  const { cert, key } = own(server, "admin");
  const identity = { cert: readFileSync(cert), key: readFileSync(key) };
  const create = async (path: string, object: object): Promise<void> => {
    const sent = { ...identity, method: "POST", headers: { "content-type": "application/json" } };
    const { status, text } = await ask(server, path, sent, JSON.stringify(object));
    if (status !== 201) throw new Error(text);
  };
  await create("/api/v1/namespaces/default/services", {
    metadata: { name: "api" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await create("/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: "v1.example.com" },
    spec: {
      ...{ group: "example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 1 },
      service: { namespace: "default", name: "api", port },
      caBundle: readFileSync(authority.file).toString("base64"),
    },
  });
  const name = async () => (await ask(server, "/apis/example.com/v1/things", identity)).text;
  await expect.poll(name).toBe("first");
  writeFileSync(first.cert, readFileSync(second.cert));
  writeFileSync(first.key, readFileSync(second.key));
  await expect.poll(name).toBe("second");
});
