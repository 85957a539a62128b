import { expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import type { AnyKind } from "../objects/object.ts";
import { Resources } from "../objects/resources.ts";
import { aggregated, coreVersions, group, groupList, resourceList } from "./served-discovery.ts";

const served = (version: string, kind: unknown): AnyKind => ({ ...(kind as AnyKind), version });
const few = new Resources([Namespace, ConfigMap, Deployment] as unknown as readonly AnyKind[]);
const hash = ({ kind }: AnyKind) => `hash of ${kind}`;
const apps = {
  name: "apps",
  versions: [{ groupVersion: "apps/v1", version: "v1" }],
  preferredVersion: { groupVersion: "apps/v1", version: "v1" },
};

test("coreVersions: where clients find the server", () => {
  expect(coreVersions("host:1")).toEqual({
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "host:1" }],
  });
});

test("groupList: the core group is not among the named ones", () => {
  expect(groupList(few)).toEqual({ kind: "APIGroupList", apiVersion: "v1", groups: [apps] });
});

test("group: one that is not served is not there", () => {
  expect([group(few, "apps"), group(few, "batch"), group(few, "")]).toEqual([
    { kind: "APIGroup", apiVersion: "v1", ...apps },
    undefined,
    undefined,
  ]);
});

test("group: stable versions come before betas, and newer ones before older ones", () => {
  const versions = ["v1beta1", "v1", "v2alpha1", "v2", "v1beta2", "v10"];
  const all = new Resources(versions.map((version) => served(version, Deployment)));
  const found = group(all, "apps") as { versions: { version: string }[] };
  expect(found.versions.map(({ version }) => version)).toEqual([
    "v10",
    "v2",
    "v1",
    "v1beta2",
    "v1beta1",
    "v2alpha1",
  ]);
});

test("resourceList: resources by name, each followed by its subresources", () => {
  const list = resourceList(few, { group: "", version: "v1" }, hash);
  expect(list).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
  const { resources } = list as { resources: { name: string }[] };
  expect(resources.map(({ name }) => name)).toEqual([
    "configmaps",
    "namespaces",
    "namespaces/finalize",
    "namespaces/status",
  ]);
  expect(resources[0]).toEqual({
    name: "configmaps",
    singularName: "configmap",
    namespaced: true,
    kind: "ConfigMap",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    shortNames: ["cm"],
    storageVersionHash: "hash of ConfigMap",
  });
  expect(resources[2]).toEqual({
    name: "namespaces/finalize",
    singularName: "",
    namespaced: false,
    kind: "Namespace",
    verbs: ["update"],
  });
  expect(resourceList(few, { group: "batch", version: "v1" }, hash)).toEqual(undefined);
});

test("aggregated: everything in one document, for the core and for the named groups", () => {
  expect(aggregated(few, "core")).toMatchObject({
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    items: [
      {
        metadata: {},
        versions: [
          {
            version: "v1",
            freshness: "Current",
            resources: [
              {
                resource: "configmaps",
                responseKind: { kind: "ConfigMap" },
                scope: "Namespaced",
                singularResource: "configmap",
                shortNames: ["cm"],
              },
              {
                resource: "namespaces",
                scope: "Cluster",
                subresources: [
                  { subresource: "finalize", verbs: ["update"] },
                  { subresource: "status", verbs: ["get", "patch", "update"] },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  expect(aggregated(few, "named")).toMatchObject({
    apiVersion: "apidiscovery.k8s.io/v2",
    items: [{ metadata: { name: "apps" }, versions: [{ version: "v1" }] }],
  });
});
