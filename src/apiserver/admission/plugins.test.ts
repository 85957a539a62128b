import { expect, test } from "vitest";
import { resources } from "../registry.test-support.ts";
import { defaultPlugins } from "./plugins.ts";

/** Plugins that upstream has on by default, in its order: those that there are here, and some to come. */
const upstream = [
  "NamespaceLifecycle",
  "LimitRanger",
  "ServiceAccount",
  "TaintNodesByCondition",
  "PodSecurity",
  "Priority",
  "DefaultTolerationSeconds",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "PersistentVolumeClaimResize",
  "RuntimeClass",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "PodTopologyLabels",
  "ResourceQuota",
];
const own = ["DeviceAdminAccess", "escalation"];

test("defaultPlugins: they stand in upstream's order, and before what upstream has elsewhere", () => {
  const unused = () => {
    throw new Error("no plugin reads the cluster before it is asked");
  };
  const names = defaultPlugins(unused, resources).map(({ name }) => name);
  const order = [...upstream, ...own];
  expect(names).toEqual(order.filter((name) => names.includes(name)));
});
