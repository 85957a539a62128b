import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { ContainerStatus, PodSandboxStatus } from "../../cri/runtime-types.ts";
import {
  type ContainerPolicy,
  containersToRemove,
  sandboxesToRemove,
} from "./container-garbage.ts";

/** `POD/NAME TIME STATE`, and the same for sandboxes without a name. */
const containerOf = (text: string): ContainerStatus => {
  const [what = "", time, state = "exited"] = text.split(" ");
  const [podUid, name] = what.split("/");
  const id = `${what} ${time}`;
  const sandboxId = `${podUid} 1`;
  const metadata = { name, attempt: 0 };
  return { id, podUid, sandboxId, metadata, createdAt: Number(time), state } as ContainerStatus;
};
const usual: ContainerPolicy = { minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 };

each<[string, Partial<ContainerPolicy>, readonly string[], readonly string[]]>([
  ["running ones stay", {}, ["a/c 1 running", "gone/c 1 running"], []],
  ["one of each container stays", {}, ["a/c 1", "a/c 2", "a/c 3", "a/d 1"], ["a/c 1", "a/c 2"]],
  ["created and unknown ones count", {}, ["a/c 1 unknown", "a/c 2 created"], ["a/c 1"]],
  ["all of a removed pod go", {}, ["gone/c 1", "gone/d 2", "a/c 3"], ["gone/c 1", "gone/d 2"]],
  ["young ones stay", { minAgeMs: 5 }, ["a/c 1", "a/c 6", "a/c 9", "gone/c 8"], []],
  ["none stays", { maxPerContainer: 0 }, ["a/c 1"], ["a/c 1"]],
  ["all stay", { maxPerContainer: -1 }, ["a/c 1", "a/c 2"], []],
  [
    "a total is shared by the containers",
    { maxPerContainer: -1, maxContainers: 2 },
    ["a/c 1", "a/c 2", "a/c 3", "b/c 4"],
    ["a/c 1", "a/c 2"],
  ],
  [
    "then the oldest go",
    { maxPerContainer: 2, maxContainers: 2 },
    ["a/c 1", "b/c 2", "c/c 3", "c/c 4"],
    ["a/c 1", "c/c 3"],
  ],
])("containersToRemove: %s", (_, policy, containers, expected) => {
  const isRemovable = (uid: string): boolean => uid === "gone";
  const found = containersToRemove(
    containers.map(containerOf),
    { ...usual, ...policy },
    { isRemovable, now: 10 },
  );
  expect(found.map(({ id }) => id)).toEqual(expected);
});

each<[string, readonly string[], readonly string[], readonly string[]]>([
  ["ready ones stay", ["a 1 ready", "gone 1 ready"], [], []],
  ["the newest of a pod stays", ["a 1 notReady", "a 2 notReady"], [], ["a 1"]],
  ["an older one beside a ready one goes", ["a 1 notReady", "a 2 ready"], [], ["a 1"]],
  ["those with containers stay", ["a 1 notReady", "a 2 ready"], ["a/c 1"], []],
  ["all of a removed pod go", ["gone 1 notReady", "gone 2 notReady"], [], ["gone 2", "gone 1"]],
])("sandboxesToRemove: %s", (_, sandboxes, containers, expected) => {
  const all = sandboxes.map((text) => {
    const [uid, time, state] = text.split(" ");
    const id = `${uid} ${time}`;
    return { id, metadata: { uid }, createdAt: Number(time), state } as PodSandboxStatus;
  });
  const isRemovable = (uid: string): boolean => uid === "gone";
  const found = sandboxesToRemove(all, containers.map(containerOf), { isRemovable });
  expect(found.map(({ id }) => id)).toEqual(expected);
});
