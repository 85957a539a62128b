import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { RuntimeClass } from "../../api/node/v1/runtime-class.ts";
import type { Client } from "../../client/client.ts";
import type { UserNamespaceOptions } from "../../cri/linux-types.ts";
import type { RuntimeHandler } from "../../cri/runtime-status.ts";
import { type HostedPodLookups, lookUpPod } from "./pod-lookups.ts";

const users: UserNamespaceOptions = {
  ...{ mode: "pod", uids: [{ containerId: 0, hostId: 65_536, length: 65_536 }], gids: [] },
};

/** Looks up a pod where these handlers are, and runtime classes whose handlers have their names. */
function lookUp(spec: object, handlers: readonly RuntimeHandler[] = []): Promise<HostedPodLookups> {
  const client = {
    get: async (kind: unknown, { name }: { name: string }) =>
      kind === RuntimeClass ? { handler: name } : undefined,
  } as unknown as Client;
  const runtime = {
    status: async () => ({
      ...{ handlers, conditions: [] },
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
    }),
  };
  const pod = { metadata: { uid: "u" }, spec: { containers: [], ...spec } } as never;
  return lookUpPod(pod, {
    ...{ client, runtime },
    userNamespaces: { of: async (uid) => (uid === "u" ? users : Promise.reject(new Error(uid))) },
  });
}

const handler = (name: string, userNamespaces: boolean): RuntimeHandler => ({
  ...{ name, userNamespaces, recursiveReadOnlyMounts: false },
});

test("lookUpPod: a pod has users of its own if it asks for them", async () => {
  const handlers = [handler("", true), handler("kata", true)];
  expect(await lookUp({ hostUsers: false }, handlers)).toMatchObject({ userNamespace: users });
  expect(await lookUp({ hostUsers: false, runtimeClassName: "kata" }, handlers)).toMatchObject({
    ...{ runtimeHandler: "kata", userNamespace: users },
  });
  expect(await lookUp({ hostUsers: true }, handlers)).toEqual({});
  expect(await lookUp({}, handlers)).toEqual({});
});

each<[runtimeClass: string | undefined, handlers: readonly RuntimeHandler[], message: string]>([
  [undefined, [], "runtime does not support user namespaces"],
  [undefined, [handler("", false)], "runtime does not support user namespaces"],
  [
    "kata",
    [handler("", true), handler("kata", false)],
    'RuntimeClass handler "kata" does not support user namespaces',
  ],
  [
    "kata",
    [handler("", true)],
    'RuntimeClass handler "kata" does not support user namespaces: the handler "kata" is not known',
  ],
])("lookUpPod: class %s on %j has no users of its own", async (runtimeClassName, handlers, why) => {
  await expect(lookUp({ hostUsers: false, runtimeClassName }, handlers)).rejects.toThrow(
    new Error(`can't set \`spec.hostUsers: false\`, ${why}`),
  );
});
