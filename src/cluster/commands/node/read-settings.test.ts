import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import type { Field } from "../../../schema/language/field.ts";
import { structOf } from "../../../schema/language/type.ts";
import { kubeletFlags } from "./flags/kubelet-flags.ts";
import { helpNote } from "./unsupported-settings.ts";

/** Fields that need no reader, and why. */
const unread: Readonly<Record<string, string>> = {
  iptablesMasqueradeBit: "has no effect in upstream",
  iptablesDropBit: "has no effect in upstream",
  hairpinMode: "has no effect in upstream",
  streamingConnectionIdleTimeout: "has no effect in upstream",
  makeIPTablesUtilChains: "a chain that nothing of ours uses",
  runOnce: "must be false",
  failCgroupV1: "ends the kubelet when its configuration is checked",
};

/** The code that runs a kubelet, without what declares its settings. */
function code(): string {
  const src = join(import.meta.dirname, "../../..");
  const folders = ["kubelet", "cluster/node", "cluster/commands/node", "cluster/opening"];
  return folders
    .flatMap((folder) =>
      readdirSync(join(src, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((name) => name.endsWith(".ts") && !/\.test(-support)?\.ts$/.test(name))
    .filter(
      (name) =>
        !/config\/(fields|validate)|default-kubelet-conf|node\/flags|unsupported-/.test(name),
    )
    .filter((name) => !name.endsWith("agent-command.ts"))
    .map((name) => readFileSync(join(src, name), "utf8"))
    .join("\n");
}

/** The paths of fields that hold values. */
const leavesOf = (fields: Readonly<Record<string, Field>>, owner = ""): readonly string[] =>
  Object.entries(fields).flatMap(([name, { type }]) => {
    const inner = structOf(type)?.fields;
    return inner === undefined ? [owner + name] : leavesOf(inner, `${owner}${name}.`);
  });

const isUnsupported = (path: string): boolean =>
  path.split(".").some((_, i, parts) => helpNote("", parts.slice(0, i + 1).join(".")) !== "");

test("every setting of a kubelet is read, or its values without effect are named", () => {
  const text = code();
  const isRead = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
  const fields = leavesOf(KubeletConfiguration.fields).filter(
    (path) => !isRead(path.split(".").at(-1) ?? "") && !isUnsupported(path),
  );
  expect(fields.sort()).toEqual(Object.keys(unread).sort());
  const flags = Object.entries(kubeletFlags).filter(([name, flag]) => {
    if (!("sets" in flag) || helpNote(name, undefined) !== "") return false;
    const set = flag.sets as (value: unknown) => object;
    return !Object.keys(set(flag.default)).every(isRead);
  });
  expect(flags.map(([name]) => name)).toEqual([]);
});
