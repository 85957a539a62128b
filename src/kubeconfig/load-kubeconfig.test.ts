import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "./connect.ts";
import { kubeconfigPaths, loadKubeconfig, resolvedKubeconfig } from "./load-kubeconfig.ts";
import { mergeKubeconfigs } from "./merge-kubeconfigs.ts";
import { chosenContext, validateKubeconfig } from "./validate-kubeconfig.ts";

function testDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "wherry-kubeconfig-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test("kubeconfigPaths: a path, then KUBECONFIG, then the home directory", () => {
  const env = { KUBECONFIG: "/a::/b:/a", HOME: "/h" };
  expect(kubeconfigPaths({ path: "/p", env })).toEqual(["/p"]);
  expect(kubeconfigPaths({ env })).toEqual(["/a", "/b"]);
  expect(kubeconfigPaths({ env: { HOME: "/h" } })).toEqual(["/h/.kube/config"]);
  expect(kubeconfigPaths({ env, home: "/i" })).toEqual(["/a", "/b"]);
});

test("mergeKubeconfigs: the first entry of each name wins, and the first non-empty current context", () => {
  expect(
    mergeKubeconfigs([
      {
        users: [{ name: "u", user: { token: "1" } }],
        "current-context": "",
        preferences: { extensions: [{ name: "e", extension: 1 }] },
      },
      {
        users: [
          { name: "u", user: { tokenFile: "2" } },
          { name: "v", user: {} },
        ],
        "current-context": "x",
        preferences: { colors: true, extensions: [{ name: "e", extension: 2 }] },
      },
      { "current-context": "y" },
    ]),
  ).toEqual({
    users: [
      { name: "u", user: { token: "1" } },
      { name: "v", user: {} },
    ],
    "current-context": "x",
    preferences: { colors: true, extensions: [{ name: "e", extension: 1 }] },
  });
});

test("loadKubeconfig: a named file must exist; others need not", async () => {
  const dir = testDir();
  const path = join(dir, "no");
  await expect(loadKubeconfig({ path })).rejects.toThrow(`stat ${path}: no such file or directory`);
  expect((await loadKubeconfig({ env: { KUBECONFIG: path } })).config).toEqual({});
});

test("loadKubeconfig: the error names all files that cannot be read", async () => {
  const dir = testDir();
  mkdirSync(join(dir, "folder"));
  writeFileSync(join(dir, "bad"), "users: 7");
  const paths = [join(dir, "folder"), join(dir, "bad")];
  await expect(loadKubeconfig({ env: { KUBECONFIG: paths.join(":") } })).rejects.toThrow(
    `[error loading config file "${paths[0]}": read ${paths[0]}: is a directory, ` +
      `error loading config file "${paths[1]}": json: cannot unmarshal number into Go struct field Config.users of type []v1.NamedAuthInfo]`,
  );
});

test("loadKubeconfig: a duplicate name is rejected, and the error shows no credential", async () => {
  const dir = testDir();
  const path = join(dir, "config");
  writeFileSync(path, "users: [{name: u, user: {token: secret}}, {name: u, user: {}}]");
  const fault = await loadKubeconfig({ path }).catch((error: Error) => error.message);
  expect(fault).toContain('duplicate name "u" in list');
  expect(fault).not.toContain("secret");
});

test("loadKubeconfig: paths are relative to their file", async () => {
  const dir = testDir();
  for (const sub of ["a", "b"]) mkdirSync(join(dir, sub));
  writeFileSync(
    join(dir, "a/config"),
    "clusters: [{name: c, cluster: {certificate-authority: x}}]",
  );
  writeFileSync(
    join(dir, "b/config"),
    `users:
- name: u
  user:
    client-certificate: ../crt
    client-key: /abs/key
    tokenFile: t
    exec: {command: ./bin/plugin}
- {name: v, user: {exec: {command: plugin}}}
clusters: [{name: c, cluster: {certificate-authority: z}}]`,
  );
  const KUBECONFIG = `${join(dir, "a/config")}:${join(dir, "b/config")}`;
  expect(resolvedKubeconfig(await loadKubeconfig({ env: { KUBECONFIG } }))).toEqual({
    clusters: [{ name: "c", cluster: { "certificate-authority": join(dir, "a/x") } }],
    users: [
      {
        name: "u",
        user: {
          "client-certificate": join(dir, "crt"),
          "client-key": "/abs/key",
          tokenFile: join(dir, "b/t"),
          exec: { command: join(dir, "b/bin/plugin") },
        },
      },
      { name: "v", user: { exec: { command: "plugin" } } },
    ],
  });
});

test("validation errors are client-go's", async () => {
  const cluster = { name: "c", cluster: { server: "https://s" } };
  const nothing =
    "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable";
  await expect(chosenContext({}, undefined)).rejects.toThrow(nothing);
  await expect(validateKubeconfig({})).rejects.toThrow(nothing);
  await expect(
    chosenContext({ clusters: [cluster], "current-context": "x" }, undefined),
  ).rejects.toThrow(
    "invalid configuration: [context was not found for specified context: x, cluster has no server defined]",
  );
  await expect(
    chosenContext(
      {
        clusters: [{ name: "c", cluster: { "insecure-skip-tls-verify": true } }],
        contexts: [{ name: "x", context: { cluster: "c" } }],
      },
      "x",
    ),
  ).rejects.toThrow('invalid configuration: no server found for cluster "c"');
  await expect(
    validateKubeconfig({
      clusters: [cluster],
      contexts: [
        { name: "x", context: { cluster: "d", namespace: "N!" } },
        { name: "y", context: { cluster: "c", user: "u" } },
      ],
      "current-context": "z",
    }),
  ).rejects.toThrow(
    'invalid configuration: [context was not found for specified context: z, user was not specified for context "x", ' +
      'cluster "d" was not found for context "x", namespace "N!" for context "x" does not conform to the kubernetes DNS_LABEL rules, ' +
      'user "u" was not found for context "y"]',
  );
});

test("connect: fails without a kubeconfig outside a cluster", async () => {
  const env = { HOME: testDir() };
  await expect(connect({ env })).rejects.toThrow("no configuration has been provided");
  await expect(connect({ env, inCluster: true })).rejects.toThrow(
    "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
  );
});
