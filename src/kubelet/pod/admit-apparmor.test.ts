import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { admitAppArmor } from "./admit-apparmor.ts";

const localhost = { type: "Localhost", localhostProfile: "p" };

each<[name: string, spec: object, isEnabled: boolean, isAccepted: boolean]>([
  ["no profile", {}, false, true],
  [
    "an unconfined pod",
    { securityContext: { appArmorProfile: { type: "Unconfined" } } },
    false,
    true,
  ],
  ["a profile of the pod", { securityContext: { appArmorProfile: localhost } }, false, false],
  ["a node with AppArmor", { securityContext: { appArmorProfile: localhost } }, true, true],
  [
    "a profile of an init container",
    { initContainers: [{ name: "i", securityContext: { appArmorProfile: localhost } }] },
    false,
    false,
  ],
])("admitAppArmor: %s", (_, spec, isEnabled, isAccepted) => {
  const pod = { metadata: {}, spec: { containers: [{ name: "c" }], ...spec } } as unknown as Pod;
  const message = "Cannot enforce AppArmor: AppArmor is not enabled on the host";
  expect(admitAppArmor(pod, isEnabled)).toEqual(
    isAccepted ? undefined : { reason: "AppArmor", message },
  );
});
