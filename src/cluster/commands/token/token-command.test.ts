import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Secret } from "../../../api/core/v1/secret.ts";
import { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import { commandRunner } from "../../../cli/run-command.test-support.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { startJoiningServer } from "../../join/joining-server.test-support.ts";
import { publicKeyPin } from "../../join/public-key-pin.ts";
import { tokenCommand } from "./token-command.ts";
import { tokenTable } from "./token-table.ts";

const run = commandRunner(tokenCommand);

const form = /^[a-z0-9]{6}\.[a-z0-9]{16}\n$/;
const text = (base64 = ""): string => Buffer.from(base64, "base64").toString("utf8");

test("wherry token generate prints a new token each time", async () => {
  const [a, b] = [await run("generate"), await run("generate")];
  expect(a.stdout).toMatch(form);
  expect(b.stdout).not.toBe(a.stdout);
});

test("tokens are created with kubeadm's fields, listed and deleted", async () => {
  const { server, client } = await startJoiningServer();
  const own = ["--kubeconfig", server.kubeconfig];
  const { stdout: first } = await run("create", ...own);
  expect(first).toMatch(form);
  const given = "abcdef.0123456789abcdef";
  const flags = ["--ttl=0", "--description=for a test", "--usages=signing", "--groups="];
  expect(await run("create", given, ...flags, ...own)).toEqual({
    code: 0,
    stdout: `${given}\n`,
    stderr: "",
  });
  const { type, data } = await client.get(Secret, {
    namespace: "kube-system",
    name: "bootstrap-token-abcdef",
  });
  const values = Object.entries(data ?? {}).map(([key, value]) => [key, text(value)]);
  expect({ type, ...Object.fromEntries(values) }).toEqual({
    type: "bootstrap.kubernetes.io/token",
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    description: "for a test",
    "usage-bootstrap-signing": "true",
  });
  expect(await run("create", given, ...own)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a token with id "abcdef" already exists'),
  });

  const { stdout: listed } = await run("list", ...own);
  expect(listed).toMatch(/^TOKEN +TTL +EXPIRES +USAGES +DESCRIPTION +EXTRA GROUPS$/m);
  expect(listed).toMatch(/^abcdef\.\w{16} +<forever> +<never> +signing +for a test +<none>$/m);
  expect(listed).toMatch(
    / 23h +\S+Z +authentication,signing +<none> +system:bootstrappers:wherry:default-node-token$/m,
  );
  const [id = ""] = first.split(".");
  expect((await run("delete", given, id, ...own)).stdout).toBe(
    `bootstrap token "abcdef" deleted\nbootstrap token "${id}" deleted\n`,
  );
  expect(await run("list", ...own)).toMatchObject({ code: 0, stdout: "" });
  expect(await run("delete", "abcdef", ...own)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('failed to delete bootstrap token "abcdef"'),
  });
});

test("wherry token create --print-join-command pins the key of the CA", async () => {
  const { server } = await startJoiningServer();
  const { stdout, stderr } = await run(
    ...["create", "--print-join-command", "--kubeconfig", server.kubeconfig],
  );
  expect(stdout).toMatch(
    new RegExp(
      `^wherry join 127\\.0\\.0\\.1:${server.port} --token [a-z0-9]{6}\\.[a-z0-9]{16} --discovery-token-ca-cert-hash ${publicKeyPin(server.rootCa)}\\n$`,
    ),
  );
  expect(stderr).toMatch(/^warning: other machines cannot reach https:\/\/127\.0\.0\.1/);
});

test("on a cluster that was not prepared for it, the first token lets machines join", async () => {
  const { kubeconfig, rootCa } = await startWith(testDir());
  expect((await run("create", "--kubeconfig", kubeconfig)).code).toBe(0);
  const { client, close } = await connect({ path: kubeconfig });
  const bindings = await client.list(ClusterRoleBinding);
  expect(bindings.items.map(({ metadata }) => metadata.name)).toContain("wherry:kubelet-bootstrap");
  const info = await client.get(ConfigMap, { namespace: "kube-public", name: "cluster-info" });
  expect(info.data?.kubeconfig).toContain(Buffer.from(rootCa).toString("base64"));
  close();
});

each<[args: readonly string[], problem: string]>([
  [["create", "abc"], 'the bootstrap token was not of the form "[a-z0-9]{6}.[a-z0-9]{16}"'],
  [["create", "--ttl=-1s"], "--ttl must not be negative"],
  [
    ["create", "--usages=signing,cooking"],
    "invalid bootstrap token usage string: cooking, valid usage options: signing,authentication",
  ],
  [
    ["create", "--groups=admins"],
    'bootstrap group "admins" is invalid (must match \\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z)',
  ],
  [["delete", "nothing"], "given token didn't match pattern"],
])("wherry token %j is an error", async (args, problem) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

each<[expires: string, ttl: string]>([
  ["2026-01-01T00:00:30Z", "30s"],
  ["2026-01-01T01:59:00Z", "1h"],
  ["2026-01-03T00:00:00Z", "2d"],
  ["2029-01-03T00:00:00Z", "3y"],
  ["2025-12-31T00:00:00Z", "<invalid>"],
])("tokenTable: what expires at %s has %s left", (expires, ttl) => {
  const token = { token: "a.b", description: "", expires, usages: [], groups: [] };
  const [, row] = tokenTable([token], Date.UTC(2026, 0, 1)).split("\n");
  expect(row).toBe(`a.b     ${ttl.padEnd(3)}   ${expires}   <none>   <none>        <none>`);
});
