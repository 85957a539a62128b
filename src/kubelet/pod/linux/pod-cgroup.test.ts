import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { podWith } from "./linux.test-support.ts";
import { type CgroupNaming, podCgroupPath, podUidOf, qosCgroupPath } from "./pod-cgroup.ts";

const cgroupfs: CgroupNaming = { driver: "cgroupfs", root: ["kubepods"] };
const systemd: CgroupNaming = { driver: "systemd", root: ["kubepods"] };
const below: CgroupNaming = { driver: "systemd", root: ["my-node", "kubepods"] };
const amounts = { cpu: "1", memory: "1Gi" };
const uid = "12-ab";

each<[CgroupNaming, object, string]>([
  [cgroupfs, {}, "/kubepods/besteffort/pod12-ab"],
  [cgroupfs, { requests: amounts }, "/kubepods/burstable/pod12-ab"],
  [cgroupfs, { requests: amounts, limits: amounts }, "/kubepods/pod12-ab"],
  [systemd, {}, "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod12_ab.slice"],
  [systemd, { limits: amounts, requests: amounts }, "/kubepods.slice/kubepods-pod12_ab.slice"],
  [
    below,
    { limits: amounts, requests: amounts },
    "/my_node.slice/my_node-kubepods.slice/my_node-kubepods-pod12_ab.slice",
  ],
])("podCgroupPath: %j, resources %j", (naming, resources, expected) => {
  const pod = podWith({ resources });
  const path = podCgroupPath({ ...pod, metadata: { ...pod.metadata, uid } }, naming);
  expect(path).toBe(expected);
  expect(podUidOf(path.split("/").at(-1) ?? "", naming)).toBe(uid);
});

each<[CgroupNaming, string]>([
  [cgroupfs, "/kubepods/burstable"],
  [systemd, "/kubepods.slice/kubepods-burstable.slice"],
])("qosCgroupPath: %j", (naming, expected) => {
  expect(qosCgroupPath("Burstable", naming)).toBe(expected);
});

each<[CgroupNaming, string]>([
  [cgroupfs, "burstable"],
  [cgroupfs, "pod"],
  [systemd, "kubepods-burstable.slice"],
  [systemd, "podx"],
])("podUidOf: %j, %s is not a pod's", (naming, folder) => {
  expect(podUidOf(folder, naming)).toBeUndefined();
});
