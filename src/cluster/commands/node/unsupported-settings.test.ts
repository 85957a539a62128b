import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { legacyKubeletConfiguration } from "../../../kubelet/config/default-kubelet-configuration.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { applyMergePatch } from "../../../schema/patch/merge-patch.ts";
import { helpNote, unsupportedSettings } from "./unsupported-settings.ts";

const gates = () => ({ on: new Set<string>(), problems: [] });

const unsupported = (changes: object, flags: Readonly<Record<string, unknown>> = {}) =>
  unsupportedSettings({
    config: applyMergePatch(legacyKubeletConfiguration(gates), changes) as KubeletConfiguration,
    flags,
    given: new Set(Object.keys(flags)),
  });

test("unsupportedSettings: the defaults are supported", () => {
  expect(unsupported({})).toEqual({ problems: [], warnings: [] });
});

each<[changes: object, name: string]>([
  [
    { enableControllerAttachDetach: false },
    "enableControllerAttachDetach (--enable-controller-attach-detach)",
  ],
])("unsupportedSettings: rejects %j by name", (changes, name) => {
  const { problems, warnings } = unsupported(changes);
  expect(problems).toEqual([expect.stringContaining(`${name} is not supported: `)]);
  expect(warnings).toEqual([]);
});

test("unsupportedSettings: flags count if they were given", () => {
  expect(unsupported({}, { "experimental-mounter-path": "/m" }).problems).toEqual([
    "--experimental-mounter-path is not supported: it was for a container with mount(8) in it; the mount(8) of the machine mounts volumes",
  ]);
  expect(unsupported({}, { "experimental-mounter-path": "" }).problems).toEqual([]);
});

test("helpNote: help says what is not supported", () => {
  expect(helpNote("enable-controller-attach-detach", "enableControllerAttachDetach")).toBe(
    " (not supported)",
  );
  expect(helpNote("housekeeping-interval", undefined)).toBe(" (has no effect)");
  expect(helpNote("experimental-mounter-path", undefined)).toBe(" (not supported)");
  expect(helpNote("max-pods", "maxPods")).toBe("");
});
