import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readAdmissionConfiguration } from "./admission-configuration.ts";

const dir = mkdtempSync(join(tmpdir(), "wherry-admission-"));
afterAll(() => rmSync(dir, { recursive: true }));
const read = (text: string) => {
  const path = join(dir, "c.yaml");
  writeFileSync(path, text);
  return readAdmissionConfiguration({ flag: "admission-control-config-file", path });
};
const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";

test("readAdmissionConfiguration: reads the configuration of plugins, inline or from other files", async () => {
  writeFileSync(
    join(dir, "limits.yaml"),
    "kind: Configuration\nlimits: [{type: Server, qps: 5}]\n",
  );
  const told = await read(`${head}plugins:
- name: PodSecurity
  configuration: { kind: PodSecurityConfiguration }
- name: EventRateLimit
  path: limits.yaml
- name: PodNodeSelector
  configuration: { podNodeSelectorPluginConfig: { ns: a=b } }
- name: Priority
`);
  expect(told).toEqual({
    PodSecurity: { kind: "PodSecurityConfiguration" },
    EventRateLimit: { kind: "Configuration", limits: [{ type: "Server", qps: 5 }] },
    PodNodeSelector: { ns: "a=b" },
    Priority: undefined,
  });
  expect(await read(head)).toEqual({});
});

test.each([
  [
    "kind: Pod\n",
    'is not an AdmissionConfiguration of apiserver.config.k8s.io/v1: it begins with kind "Pod"',
  ],
  [`${head}plugins: [{}]\n`, "each of its plugins must have a name"],
  [`${head}plugins: [{name: a}, {name: a}]\n`, "plugin a is listed twice"],
  [
    `${head}plugins: [{name: a, path: none.yaml}]\n`,
    "none.yaml, given by --admission-control-config",
  ],
  ["a: [\n", "given by --admission-control-config-file, is not valid YAML"],
])("readAdmissionConfiguration: rejects %j", async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});
