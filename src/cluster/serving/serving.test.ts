import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../test/support/apiserver.test-support.ts";

/** The output of kubectl; throws if it fails. */
const kubectl = async (kubeconfig: string, ...args: string[]) =>
  (await promisify(execFile)("kubectl", ["--kubeconfig", kubeconfig, ...args])).stdout;

test("serving: admin.kubeconfig works with a given certificate, too", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const web = authority.issue("web", { dnsNames: ["api.example.com"] });
  const foo = authority.issue("foo", { dnsNames: ["foo.example.com", "*.foo.example.com"] });
  const bar = authority.issue("bar", { dnsNames: ["other.example.com"] });
  const server = await startWith(
    dir,
    ...["--tls-cert-file", web.cert, "--tls-private-key-file", web.key],
    ...["--tls-sni-cert-key", `${foo.cert},${foo.key}`],
    ...["--tls-sni-cert-key", `${bar.cert},${bar.key}:bar.example.com,a.foo.example.com`],
  );
  const names: [asked: string, served: string][] = [
    ["", "web"],
    ["api.example.com", "web"],
    ["nobody.example.com", "web"],
    ["foo.example.com", "foo"],
    ["FOO.example.com", "foo"],
    ["b.foo.example.com", "foo"],
    ["a.foo.example.com", "bar"],
    ["bar.example.com", "bar"],
    ["other.example.com", "bar"],
    ["apiserver-loopback-client", "kube-apiserver"],
  ];
  const served = names.map(async ([servername]) => {
    return [servername, (await ask(server, "/version", { servername })).servedBy];
  });
  expect(await Promise.all(served)).toEqual(names);
  const ca = readFileSync(authority.file);
  const trusting = { ca, rejectUnauthorized: true, servername: "api.example.com" };
  expect((await ask(server, "/version", trusting)).status).toBe(200);
  const listed = await kubectl(server.kubeconfig, "get", "namespaces", "-o", "name");
  expect(listed).toContain("namespace/kube-system");
});

test("serving: accepts clients of the given CA and of the cluster's own CA, and no others", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const jane = authority.issue("jane", { organizations: ["system:masters"] });
  const joe = authority.issue("joe");
  const stranger = new TestAuthority(testDir()).issue("jane", {
    organizations: ["system:masters"],
  });
  const server = await startWith(dir, "--client-ca-file", authority.file);
  const admin = { cert: join(server.dir, "pki/admin.crt"), key: join(server.dir, "pki/admin.key") };
  const statuses = [jane, joe, stranger, admin].map(async ({ cert, key }) => {
    const identity = { cert: readFileSync(cert), key: readFileSync(key) };
    return (await ask(server, "/api/v1/nodes", identity)).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 403, 401, 200]);
});

test("serving: uses only the given versions of TLS and cipher suites", async () => {
  const suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  const chosen = await startWith(testDir(), "--tls-cipher-suites", suite);
  const old = { maxVersion: "TLSv1.2" } as const;
  expect(await ask(chosen, "/version", old)).toMatchObject({
    protocol: "TLSv1.2",
    cipher: "ECDHE-ECDSA-AES128-GCM-SHA256",
  });
  expect((await ask(chosen, "/version")).protocol).toBe("TLSv1.3");
  const other = { ...old, ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384" };
  await expect(ask(chosen, "/version", other)).rejects.toThrow(/handshake failure/);
  const oldest = await startWith(testDir(), "--tls-min-version=VersionTLS11");
  const ancient = {
    minVersion: "TLSv1.1",
    maxVersion: "TLSv1.1",
    ciphers: "DEFAULT:@SECLEVEL=0",
  } as const;
  expect((await ask(oldest, "/version", ancient)).protocol).toBe("TLSv1.1");
  await expect(ask(chosen, "/version", ancient)).rejects.toThrow(/protocol version/);
  const latest = await startWith(testDir(), "--tls-min-version=VersionTLS13");
  await expect(ask(latest, "/version", old)).rejects.toThrow(/protocol version/);
  expect((await ask(latest, "/version")).protocol).toBe("TLSv1.3");
});

test("serving: rejects requests without credentials if anonymous requests are off", async () => {
  const server = await startWith(
    testDir(),
    "--anonymous-auth=false",
    "--strict-transport-security-directives=max-age=60",
  );
  const { status, headers, text } = await ask(server, "/version");
  expect([status, headers["strict-transport-security"]]).toEqual([401, "max-age=60"]);
  expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "Unauthorized", code: 401 });
});

test("serving: the server publishes its external name", async () => {
  const server = await startWith(testDir(), "--external-hostname=api.example.com");
  const pki = join(server.dir, "pki");
  const admin = {
    cert: readFileSync(join(pki, "admin.crt")),
    key: readFileSync(join(pki, "admin.key")),
  };
  const address = `api.example.com:${server.port}`;
  const { text } = await ask(server, "/api", admin);
  expect(JSON.parse(text).serverAddressByClientCIDRs[0].serverAddress).toBe(address);
  const trusting = {
    ca: readFileSync(join(pki, "ca.crt")),
    servername: "api.example.com",
    rejectUnauthorized: true,
  };
  expect((await ask(server, "/version", trusting)).status).toBe(200);
});

test("serving: creates certificates in an empty directory, and reuses them", async () => {
  const dir = testDir();
  const certDir = join(dir, "certs");
  const first = await startWith(dir, "--cert-dir", certDir);
  expect((await ask(first, "/version")).servedBy).toBe("kube-apiserver");
  expect(statSync(join(certDir, "apiserver.key")).mode & 0o777).toBe(0o600);
  await first.close();
  const web = new TestAuthority(dir).issue("web");
  writeFileSync(join(certDir, "apiserver.crt"), readFileSync(web.cert));
  writeFileSync(join(certDir, "apiserver.key"), readFileSync(web.key));
  const second = await startWith(dir, "--cert-dir", certDir);
  expect((await ask(second, "/version")).servedBy).toBe("web");
  expect(await kubectl(second.kubeconfig, "version")).toContain("Server Version: v1.36");
});

test("serving: reloads replaced certificates and CAs, and ignores invalid ones", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const web = authority.issue("web");
  const foo = authority.issue("foo", { dnsNames: ["foo.example.com"] });
  const server = await startWith(
    dir,
    ...["--tls-cert-file", web.cert, "--tls-private-key-file", web.key],
    ...["--tls-sni-cert-key", `${foo.cert},${foo.key}`, "--client-ca-file", authority.file],
  );
  const servedBy = async (servername = "") =>
    (await ask(server, "/version", { servername })).servedBy;
  const replace = (old: { cert: string; key: string }, by: { cert: string; key: string }) => {
    writeFileSync(old.cert, readFileSync(by.cert));
    writeFileSync(old.key, readFileSync(by.key));
  };
  expect([await servedBy(), await servedBy("foo.example.com")]).toEqual(["web", "foo"]);
  const stranger = new TestAuthority(testDir());
  const other = stranger.issue("other", { organizations: ["system:masters"] });
  replace(web, other);
  writeFileSync(authority.file, readFileSync(stranger.file));
  await expect.poll(() => servedBy()).toBe("other");
  expect(await servedBy("foo.example.com")).toBe("foo");
  const identity = { cert: readFileSync(other.cert), key: readFileSync(other.key) };
  expect((await ask(server, "/api/v1/nodes", identity)).status).toBe(200);
  const logged = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => logged.mockRestore());
  replace(foo, { cert: other.cert, key: join(dir, "test-ca.crt") });
  const complaint = () => logged.mock.calls.map(([line]) => String(line)).join("");
  await expect.poll(complaint).toContain("reloading certificates failed");
  expect([await servedBy(), await servedBy("foo.example.com")]).toEqual(["other", "foo"]);
  replace(foo, stranger.issue("bar", { dnsNames: ["foo.example.com"] }));
  await expect.poll(() => servedBy("foo.example.com")).toBe("bar");
});

test("serving: errors name unusable files and give a remedy", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const { cert, key } = authority.issue("a");
  const other = authority.issue("b");
  const garbled = join(dir, "garbled.crt");
  writeFileSync(garbled, readFileSync(cert, "utf8").replace(/\n.{10}/, "\n"));
  const file = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const text = file("text", "s3cret nonsense");
  const locked = file("locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END");
  const pair = (certFile: string, keyFile: string) => [
    ...["--tls-cert-file", certFile],
    ...["--tls-private-key-file", keyFile],
  ];
  const faults: [args: string[], message: string][] = [
    [pair(join(dir, "no"), key), "no, given by --tls-cert-file: there is no such file; check"],
    [pair(dir, key), "given by --tls-cert-file: it is a directory; give a file in it"],
    [pair(text, key), `${text}, given by --tls-cert-file, holds no certificate: it must be PEM`],
    [pair(garbled, key), `the certificate in ${garbled}, given by --tls-cert-file, cannot be read`],
    [pair(cert, text), `${text}, given by --tls-private-key-file, holds no private key`],
    [
      pair(cert, locked),
      `${locked}, given by --tls-private-key-file, is protected by a passphrase`,
    ],
    [
      pair(cert, other.key),
      `${other.key}, given by --tls-private-key-file, is not the private key`,
    ],
    [["--tls-sni-cert-key", `${cert},${other.key}`], "--tls-sni-cert-key, is not the private key"],
    [["--client-ca-file", text], `${text}, given by --client-ca-file, holds no certificate`],
    [["--token-auth-file", join(dir, "no")], "no, given by --token-auth-file: there is no such"],
    [["--kubelet-certificate-authority", text], "--kubelet-certificate-authority, holds no cert"],
    [
      ["--admission-control-config-file", text],
      "--admission-control-config-file, is empty or not a map",
    ],
  ];
  for (const [args, message] of faults) {
    const fault: Error = await startWith(dir, ...args).then(
      () => new Error("it started"),
      (error: Error) => error,
    );
    expect(fault.message).toContain(message);
    expect(String(fault.cause ?? "") + fault.message).not.toContain("s3cret");
  }
  expect(existsSync(join(dir, "data", "store", "data.mdb"))).toBe(false);
});

test("serving: a client with a certificate can resume its session, whichever certificate the server uses", async () => {
  const dir = testDir();
  const { cert, key } = new TestAuthority(dir).issue("web", { dnsNames: ["api.example.com"] });
  const server = await startWith(dir, "--tls-sni-cert-key", `${cert},${key}`);
  const pki = (name: string) => readFileSync(join(server.dir, "pki", name));
  const options = {
    host: "127.0.0.1",
    port: server.port,
    servername: "api.example.com",
    rejectUnauthorized: false,
    maxVersion: "TLSv1.2",
    cert: pki("admin.crt"),
    key: pki("admin.key"),
  } as const;
  const first = connect(options);
  const [session] = (await once(first, "session")) as [Buffer];
  first.destroy();
  const second = connect({ ...options, session });
  second
    .setEncoding("utf8")
    .end("GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const [answer] = (await once(second, "data")) as [string];
  expect([second.isSessionReused(), answer.split("\r\n")[0]]).toEqual([true, "HTTP/1.1 200 OK"]);
  second.destroy();
});
