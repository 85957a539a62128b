import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer as createHttpsServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ensurePki, type Pki } from "./pki.ts";
import { clientKubeconfig, writeAdminKubeconfig } from "./pki-kubeconfig.ts";

const now = new Date("2026-03-01T00:00:00Z");
const daysLater = (days: number) => new Date(now.getTime() + days * 24 * 60 * 60 * 1000);

function emptyDir(): string {
  const parent = mkdtempSync(join(tmpdir(), "wherry-pki-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return join(parent, "pki");
}

/** The certificates and keys that differ. */
function changed(before: Pki, after: Pki): string[] {
  const flat = (pki: Pki) => ({
    "ca.crt": pki.ca.cert,
    "ca.key": pki.ca.key,
    "kubelet-ca.crt": pki.kubeletCa.cert,
    "kubelet-ca.key": pki.kubeletCa.key,
    "apiserver.crt": pki.apiserver.cert,
    "apiserver.key": pki.apiserver.key,
    "admin.crt": pki.admin.cert,
    "admin.key": pki.admin.key,
    "sa.key": pki.serviceAccount.privateKey,
    "sa.pub": pki.serviceAccount.publicKey,
  });
  const old: Record<string, string> = flat(before);
  return Object.entries(flat(after)).flatMap(([name, text]) => (old[name] === text ? [] : [name]));
}

test("ensurePki: the first start creates everything, and only public keys are readable by others", async () => {
  const dir = emptyDir();
  const pki = await ensurePki(dir, { names: ["node-1"], ips: ["192.0.2.7", "0.0.0.0"], now });
  const files = readdirSync(dir).sort();
  expect(files).toEqual(
    [
      ...["admin", "apiserver-kubelet-client", "apiserver", "ca"],
      ...["front-proxy-ca", "front-proxy-client", "kubelet-ca"],
    ]
      .flatMap((name) => [`${name}.crt`, `${name}.key`])
      .concat("sa.key", "sa.pub"),
  );
  expect(files.map((file) => statSync(join(dir, file)).mode & 0o777)).toEqual(
    files.map((file) => (file === "sa.pub" ? 0o644 : 0o600)),
  );
  expect(statSync(dir).mode & 0o777).toEqual(0o700);
  const serving = new X509Certificate(pki.apiserver.cert);
  const names = new Set([
    ...["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    ...["kubernetes.default.svc.cluster.local", hostname(), "node-1"],
  ]);
  expect(serving.subjectAltName).toEqual(
    [
      ...[...names].map((name) => `DNS:${name}`),
      ...["127.0.0.1", "0:0:0:0:0:0:0:1", "10.0.0.1", "192.0.2.7"].map((ip) => `IP Address:${ip}`),
    ].join(", "),
  );
  expect(new X509Certificate(pki.admin.cert).subject).toEqual("O=system:masters\nCN=admin");
  expect(createPrivateKey(pki.serviceAccount.privateKey).asymmetricKeyDetails).toEqual({
    namedCurve: "prime256v1",
  });
});

test("ensurePki: later starts change nothing while everything is valid", async () => {
  const dir = emptyDir();
  const first = await ensurePki(dir, { names: ["a"], now });
  expect(changed(first, await ensurePki(dir, { names: ["a"], now: daysLater(300) }))).toEqual([]);
});

test.each([
  ["other names", { names: ["b"], now }, ["apiserver.crt"]],
  ["other addresses", { names: ["a"], ips: ["192.0.2.1"], now }, ["apiserver.crt"]],
  ["an end within 30 days", { names: ["a"], now: daysLater(336) }, ["apiserver.crt", "admin.crt"]],
  ["expired certificates", { names: ["a"], now: daysLater(500) }, ["apiserver.crt", "admin.crt"]],
  [
    "an authority that expires soon",
    { names: ["a"], now: daysLater(3640) },
    ["ca.crt", "kubelet-ca.crt", "apiserver.crt", "admin.crt"],
  ],
])("ensurePki: %s: certificates are reissued, keys stay", async (_, options, wanted) => {
  const dir = emptyDir();
  const first = await ensurePki(dir, { names: ["a"], now });
  const second = await ensurePki(dir, options);
  expect(changed(first, second)).toEqual(wanted);
  const authority = new X509Certificate(second.ca.cert);
  for (const { cert } of [first.admin, second.apiserver, second.admin]) {
    expect(new X509Certificate(cert).verify(authority.publicKey)).toEqual(true);
  }
  expect(changed(second, await ensurePki(dir, options))).toEqual([]);
});

test.each([
  ["ca.crt", ["ca.crt"]],
  ["apiserver.crt", ["apiserver.crt"]],
  ["apiserver.key", ["apiserver.crt", "apiserver.key"]],
  ["sa.pub", []],
])("ensurePki: %s is created again when it is missing", async (file, wanted) => {
  const dir = emptyDir();
  const first = await ensurePki(dir, { now });
  rmSync(join(dir, file));
  expect(changed(first, await ensurePki(dir, { now }))).toEqual(wanted);
  expect(readdirSync(dir)).toContain(file);
});

test("ensurePki: certificates of another authority are reissued", async () => {
  const [dir, other] = [emptyDir(), emptyDir()];
  const first = await ensurePki(dir, { now });
  const { ca } = await ensurePki(other, { now });
  writeFileSync(join(dir, "ca.crt"), ca.cert);
  writeFileSync(join(dir, "ca.key"), ca.key);
  const second = await ensurePki(dir, { now });
  expect(changed(first, second)).toEqual(["ca.crt", "ca.key", "apiserver.crt", "admin.crt"]);
});

test.each(["ca.key", "apiserver.key", "admin.key", "sa.key"])(
  "ensurePki: refuses %s when others may read it",
  async (file) => {
    const dir = emptyDir();
    await ensurePki(dir, { now });
    chmodSync(join(dir, file), 0o640);
    await expect(ensurePki(dir, { now })).rejects.toThrow(
      `${join(dir, file)} may be read by others (mode 0640)`,
    );
  },
);

test.each([
  ["ca.crt", "holds no certificate that can be read: restore it from a backup, or remove DIR "],
  ["ca.key", "holds no private key that can be read: restore it from a backup, or remove DIR "],
  ["apiserver.crt", "holds no certificate that can be read: remove DIR/apiserver.crt and "],
  ["admin.key", "holds no private key that can be read: remove DIR/admin.crt and DIR/admin.key "],
  ["sa.key", "holds no private key that can be read: restore it from a backup, or remove DIR/sa."],
])(
  "ensurePki: the error for a corrupt %s names the file and says what to do",
  async (file, message) => {
    const dir = emptyDir();
    await ensurePki(dir, { now });
    const path = join(dir, file);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, 80));
    await expect(ensurePki(dir, { now })).rejects.toThrow(
      `${path} ${message.replaceAll("DIR", dir)}`,
    );
  },
);

test("ensurePki: an authority without its key, or with another key, is rejected", async () => {
  const [dir, other] = [emptyDir(), emptyDir()];
  await ensurePki(dir, { now });
  writeFileSync(join(dir, "ca.key"), (await ensurePki(other, { now })).ca.key);
  await expect(ensurePki(dir, { now })).rejects.toThrow("ca.crt does not belong to ca.key: ");
  rmSync(join(dir, "ca.key"));
  await expect(ensurePki(dir, { now })).rejects.toThrow(`${dir}/ca.key is missing: restore it`);
});

test("ensurePki: Node's TLS accepts the certificates of both sides", async () => {
  const pki = await ensurePki(emptyDir(), { now: new Date() });
  const server = createHttpsServer(
    { ...pki.apiserver, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: true },
    (_, response) => response.end("hello"),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const body = await new Promise<string>((resolve, reject) => {
    const options = { port, host: "127.0.0.1", ...pki.admin, ca: pki.ca.cert, agent: false };
    request(options, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    })
      .on("error", reject)
      .end();
  });
  expect(body).toEqual("hello");
});

test("clientKubeconfig: holds certificates and key, and a server that YAML cannot misread", () => {
  expect(
    clientKubeconfig({
      server: "https://[::1]:6443",
      ca: "CA",
      cert: "C",
      key: "K",
      user: "admin",
    }),
  ).toEqual(`apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: "https://[::1]:6443"
  name: wherry
contexts:
- context:
    cluster: wherry
    user: admin
  name: wherry
current-context: wherry
users:
- name: admin
  user:
    client-certificate-data: Qw==
    client-key-data: Sw==
`);
});

test("clientKubeconfig: sets the server name, if it differs from the address", () => {
  const access = {
    server: "https://x",
    ca: "CA",
    cert: "C",
    key: "K",
    serverName: "me",
    user: "admin",
  };
  expect(clientKubeconfig(access)).toContain('    server: "https://x"\n    tls-server-name: me\n');
});

test("writeAdminKubeconfig: writes only when something changed", async () => {
  const dir = emptyDir();
  const pki = await ensurePki(dir, { now });
  const path = await writeAdminKubeconfig(dir, { server: "https://127.0.0.1:6443" }, pki);
  const first = statSync(path);
  await writeAdminKubeconfig(dir, { server: "https://127.0.0.1:6443" }, pki);
  expect([first.mode & 0o777, statSync(path).ino]).toEqual([0o600, first.ino]);
  await writeAdminKubeconfig(dir, { server: "https://127.0.0.1:7443" }, pki);
  expect(readFileSync(path, "utf8")).toContain("https://127.0.0.1:7443");
});
