import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { NamespaceOptions, UserNamespaceOptions } from "../../../cri/linux-types.ts";
import { checkUsers, usersOf } from "./users-of.ts";

const range = { containerId: 0, hostId: 131072, length: 65536 };
const mapping = { containerID: 0, hostID: 131072, size: 65536 };
const own: UserNamespaceOptions = { mode: "pod", uids: [range], gids: [range] };
const nodes: UserNamespaceOptions = { mode: "node", uids: [], gids: [] };

const pod = (namespaces: Partial<NamespaceOptions>, hostNetwork = false) => ({
  metadata: { name: "p", namespace: "n", uid: "u", attempt: 0 },
  ...{ hostname: "p", hostNetwork, labels: {}, annotations: {} },
  security: {
    namespaces: { network: "pod", pid: "container", ipc: "pod", ...namespaces } as const,
  },
});

test("usersOf: the mappings of a pod, and none for the users of the node", () => {
  expect(usersOf(pod({ user: own }))).toEqual({ uidMappings: [mapping], gidMappings: [mapping] });
  expect(usersOf(pod({ user: nodes }))).toBeUndefined();
  expect(usersOf(pod({}))).toBeUndefined();
});

each<[Partial<NamespaceOptions>, hostNetwork: boolean, message: string]>([
  [{}, true, "a pod with a user namespace cannot share the network of its node"],
  [{ ipc: "node" }, false, "a pod with a user namespace cannot share the IPC of its node"],
  [{ pid: "node" }, false, "a pod with a user namespace cannot share the processes of its node"],
  [
    { user: { ...own, uids: [range, range] } },
    false,
    "a user namespace needs exactly one mapping of users, and one of groups",
  ],
  [
    { user: { ...own, gids: [] } },
    false,
    "a user namespace needs exactly one mapping of users, and one of groups",
  ],
])("usersOf: rejects %j, host network %s", (namespaces, hostNetwork, message) => {
  expect(() => usersOf(pod({ user: own, ...namespaces }, hostNetwork))).toThrow(new Error(message));
});

test("checkUsers: a container has the users of its pod", () => {
  const other = { ...own, uids: [{ ...range, hostId: 65536 }] };
  checkUsers(own, own);
  checkUsers(own, undefined);
  checkUsers(nodes, nodes);
  checkUsers(undefined, nodes);
  for (const [ofPod, ofContainer] of [
    [own, other],
    [own, nodes],
    [nodes, own],
    [undefined, own],
  ] as const)
    expect(() => checkUsers(ofPod, ofContainer)).toThrow(
      "the user namespace of a container must be that of its sandbox",
    );
});
