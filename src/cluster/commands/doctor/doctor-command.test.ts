import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import { commandRunner } from "../../../cli/run-command.test-support.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import type { Facts } from "./checks/check.ts";
import { doctorChecks, doctorCommand } from "./doctor-command.ts";
import { runChecks } from "./report.ts";

const runDoctor = commandRunner(doctorCommand);

const statesOf = (json: string) =>
  Object.fromEntries(
    (JSON.parse(json) as { id: string; state: string }[]).map(({ id, state }) => [id, state]),
  );

test("wherry doctor: what is open is a fault, with its reason and its fix; the rest is ok", async () => {
  const server = await startWith(testDir(), "--enable-admission-plugins=NodeRestriction");
  const { client, close } = await connect({ path: server.kubeconfig, inCluster: false });
  onTestFinished(close);
  const before = await runDoctor("--data-dir", server.dir, "-o", "json");
  expect(statesOf(before.stdout)).toMatchObject({
    ...{ "authorization-mode": "ok", "node-restriction": "ok", "file-modes": "ok" },
    ...{ "anonymous-rights": "ok", audit: "advice", "kubelet-anonymous": "unknown" },
  });
  chmodSync(join(server.dir, "pki", "ca.key"), 0o644);
  await client.create(ClusterRoleBinding, {
    metadata: { name: "open" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", name: "system:anonymous", apiGroup: "rbac.authorization.k8s.io" }],
  });
  const after = await runDoctor("--data-dir", server.dir);
  expect(after.code).toBe(1);
  expect(after.stdout).toContain("- pki/ca.key has mode 0644\n");
  expect(after.stdout).toContain("- open gives the role view to User system:anonymous\n");
  expect(after.stdout).toContain("        Fix: Run chmod -R go-rwx on the data directory.\n");
});

test("wherry doctor: with a kubeconfig alone, files are unknown", async () => {
  const server = await startWith(testDir());
  const { stdout } = await runDoctor("--kubeconfig", server.kubeconfig, "-o", "json");
  expect(statesOf(stdout)).toMatchObject({ "file-modes": "unknown", "node-restriction": "fault" });
});

const nothing: Facts = {
  ...{ flags: undefined, files: undefined, certificates: undefined, clusterRoles: undefined },
  secrets: undefined,
  ...{ clusterRoleBindings: undefined, roleBindings: undefined, namespaces: undefined },
  ...{ pods: undefined, kubelets: undefined },
};

const findingsOf = (id: string, facts: Partial<Facts>) =>
  runChecks(
    doctorChecks.filter((check) => check.id === id),
    { ...nothing, ...facts },
  )[0]?.findings;

const ownKey = { path: "pki/secrets-encryption.key", mode: 0o600, owner: 0, isFolder: false };
const pod = (spec: object): Pod =>
  ({ metadata: { namespace: "a", name: "p" }, spec: { containers: [], ...spec } }) as never;
const kubelet = (config: object) => ({ n: config as KubeletConfiguration });

each<[id: string, facts: Partial<Facts>, findings: readonly string[]]>([
  ["authorization-mode", { flags: { "authorization-mode": "[RBAC]" } }, ["Node is off"]],
  ["authorization-mode", { flags: { "authorization-mode": "[Node,RBAC]" } }, []],
  ["static-tokens", { flags: { "token-auth-file": "t.csv" } }, ["tokens are read from t.csv"]],
  [
    "admission-defaults",
    { flags: { "disable-admission-plugins": "[PodSecurity]" } },
    ["PodSecurity is off"],
  ],
  [
    "anonymous",
    { flags: { "anonymous-auth": "true", "bind-address": "0.0.0.0" } },
    ["anonymous requests are accepted at 0.0.0.0"],
  ],
  ["anonymous", { flags: { "anonymous-auth": "true", "bind-address": "127.0.0.1" } }, []],
  ["encryption", { secrets: { count: 1, plain: [] } }, []],
  [
    "encryption",
    { flags: { "encryption-provider-config": "f" }, secrets: { count: 2, plain: ["/a", "/b"] } },
    ["2 of 2 secrets are not encrypted, such as /a"],
  ],
  [
    "encryption",
    { flags: { "etcd-servers": "[http://a]" }, files: [ownKey], secrets: { count: 0, plain: [] } },
    ["there is no encryption key"],
  ],
  ["encryption", { files: [ownKey], secrets: { count: 0, plain: [] } }, []],
  [
    "file-owner",
    {
      files: [
        { path: "", mode: 0o700, owner: 0, isFolder: true },
        { path: "x", mode: 0o600, owner: 7, isFolder: false },
      ],
    },
    ["x belongs to user 7, not to 0"],
  ],
  [
    "privileged-pods",
    { pods: [pod({ containers: [{ name: "c", securityContext: { privileged: true } }] })] },
    ["a/p is privileged: c"],
  ],
  ["host-namespaces", { pods: [pod({ hostPID: true })] }, ["a/p has hostPID"]],
  [
    "host-paths",
    { pods: [pod({ volumes: [{ name: "v", hostPath: { path: "/etc" } }] })] },
    ["a/p mounts /etc"],
  ],
  [
    "secrets-in-environment",
    { pods: [pod({ containers: [{ name: "c", envFrom: [{ secretRef: { name: "s" } }] }] })] },
    ["a/p has secrets in the environment of c"],
  ],
  [
    "kubelet-read-only-port",
    { kubelets: kubelet({ readOnlyPort: 10255 }) },
    ["n: the port 10255 is open"],
  ],
  [
    "kubelet-authorization",
    { kubelets: kubelet({ authorization: { mode: "AlwaysAllow" } }) },
    ["n: the mode is AlwaysAllow"],
  ],
])("check %s", (id, facts, findings) => {
  expect(findingsOf(id, facts)).toEqual(findings);
});

test("checks: every id is there once, and has a title, a reason and a fix", () => {
  const ids = doctorChecks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { title, why, fix } of doctorChecks)
    expect([title, why, fix].every((text) => text.length > 10)).toBe(true);
});
