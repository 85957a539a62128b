import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { cgroupPath, slicePath } from "./cgroup-path.ts";

each<[given: string, path: string]>([
  ["/kubepods/burstable/pod1/abc", "/kubepods/burstable/pod1/abc"],
  ["docker/abc/", "/docker/abc"],
  [
    "kubepods-burstable-pod1.slice:cri-wherry:abc",
    "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-wherry-abc.scope",
  ],
  [":docker:abc", "/system.slice/docker-abc.scope"],
  ["user.slice:p:own.slice", "/user.slice/own.slice"],
  ["-.slice:p:n", "/p-n.scope"],
])("cgroupPath: %s", (given, path) => {
  expect(cgroupPath(given)).toBe(path);
});

each<[given: string]>([
  ["a--b.slice"],
  ["-a.slice"],
  ["a-.slice"],
  ["a"],
  ["a/b.slice"],
  [".slice"],
])("slicePath: %s is no name of a slice", (given) => {
  expect(() => slicePath(given)).toThrow(`invalid slice name: ${given}`);
});

each<[given: string]>([["/a/../../etc"], ["a.slice:p/../../..:x"]])(
  "cgroupPath: refuses %s",
  (given) => {
    expect(() => cgroupPath(given)).toThrow("invalid cgroup path");
  },
);
