import { unifiedDiff } from "../../../base/unified-diff.ts";
import type { Field } from "../../../schema/field.ts";
import { sortedKeys, zeroOf } from "../../../schema/normalise.ts";
import type { Struct } from "../../../schema/struct.ts";
import { structOf, type Type } from "../../../schema/type.ts";
import { PodSpec } from "./pod-spec.ts";

/** How a pod's spec changed, in the form in which upstream shows it: lines of Go's structs as JSON. */
export const podSpecDiff = (from: PodSpec, to: PodSpec): string => goDiff(PodSpec, from, to);

/** The same for a part of the spec. */
export const goDiff = <T>(struct: Struct<T>, from: T, to: T): string =>
  unifiedDiff(textOf(struct as Struct, from as Members), textOf(struct as Struct, to as Members));

/** A value as upstream holds it in memory, in which errors show it. */
export const inGo = <T>(struct: Struct<T>, value: T | undefined): unknown =>
  value === undefined ? null : goStruct(struct as Struct, value as Members);

const textOf = (struct: Struct, value: Members): string =>
  JSON.stringify(goStruct(struct, value), undefined, 1).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Go keeps the namespaces that a pod shares in its security context; with what stands for none. */
const namespaceFields = [
  ["hostNetwork", false],
  ["hostPID", false],
  ["hostIPC", false],
  ["shareProcessNamespace", null],
  ["hostUsers", null],
] as const;

function inGoPlaces(spec: Partial<PodSpec>): Members {
  const { serviceAccount: _, securityContext, ...rest } = spec;
  const namespaces = Object.fromEntries(namespaceFields.map(([name]) => [name, spec[name]]));
  return { ...rest, securityContext: { ...securityContext, ...namespaces } };
}

type Members = Readonly<Record<string, unknown>>;

const persistentSourceOrder = [
  ["quobyte", "rbd"],
  ["flexVolume", "iscsi"],
] as const;

/** The order of Go's fields, where it is not the one of the API. */
const goOrder: Readonly<Record<string, readonly (readonly [name: string, after: string])[]>> = {
  PodSpec: [
    ["setHostnameAsFQDN", "subdomain"],
    ["preemptionPolicy", "priority"],
    ["enableServiceLinks", "overhead"],
  ],
  Volume: [["quobyte", "rbd"]],
  PersistentVolumeSource: persistentSourceOrder,
  PersistentVolumeSpec: persistentSourceOrder,
  PodSecurityContext: [["fsGroupChangePolicy", "fsGroup"]],
};

const orders = new Map<string, readonly string[]>();

function fieldsInGo({ shortName, fields }: Struct): readonly string[] {
  let order = orders.get(shortName);
  if (!order) {
    const names = Object.keys(fields).filter(
      (name) => shortName !== "PodSpec" || !isElsewhere(name),
    );
    for (const [name, after] of goOrder[shortName] ?? []) {
      names.splice(names.indexOf(name), 1);
      names.splice(names.indexOf(after) + 1, 0, name);
    }
    order = names;
    orders.set(shortName, order);
  }
  return order;
}

const isElsewhere = (name: string): boolean =>
  name === "serviceAccount" || namespaceFields.some(([field]) => field === name);

function goStruct(struct: Struct, given: Members): unknown {
  // Types of apimachinery are written by their JSON names, without what is absent.
  if (struct.name.includes(".apimachinery.")) return plain(given);
  const value = struct.shortName === "PodSpec" ? inGoPlaces(given) : given;
  const out: Record<string, unknown> = {};
  if (struct.shortName === "PodSecurityContext")
    for (const [name, none] of namespaceFields)
      out[goName(name, struct.shortName)] = value[name] ?? none;
  for (const name of fieldsInGo(struct)) {
    const field = struct.fields[name] as Field;
    if (name === "metadata") Object.assign(out, plain(value[name]));
    else out[goName(name, struct.shortName)] = goField(field, value[name]);
  }
  return out;
}

function goField({ type, zero }: Field, value: unknown): unknown {
  if (value !== undefined && value !== null) return goValue(type, value);
  if (zero === "pointer" || zero === "null" || type.code === "list" || type.code === "map")
    return null;
  return type.code === "struct" ? goStruct(structOf(type) as Struct, {}) : zeroOf(type)();
}

function goValue(type: Type, value: unknown): unknown {
  switch (type.code) {
    case "struct":
      return goStruct(structOf(type) as Struct, value as Members);
    case "list":
      return (value as readonly unknown[]).map((item) => goValue(type.of as Type, item));
    case "map": {
      const map = value as Members;
      return Object.fromEntries(
        sortedKeys(map).map((key) => [key, goValue(type.of as Type, map[key])]),
      );
    }
    default:
      return value;
  }
}

/** JSON as it stands, without members that are undefined. */
const plain = (value: unknown): unknown =>
  value === undefined ? {} : JSON.parse(JSON.stringify(value));

/** Go's name of a field where it is not the API's with a capital letter; by struct, or everywhere. */
const goNames: Readonly<Record<string, string>> = {
  "ISCSIVolumeSource.chapAuthDiscovery": "DiscoveryCHAPAuth",
  "ISCSIVolumeSource.chapAuthSession": "SessionCHAPAuth",
  "GlusterfsVolumeSource.endpoints": "EndpointsName",
  "RBDVolumeSource.monitors": "CephMonitors",
  "RBDVolumeSource.image": "RBDImage",
  "RBDVolumeSource.pool": "RBDPool",
  "RBDVolumeSource.user": "RadosUser",
  "AzureDiskVolumeSource.diskURI": "DataDiskURI",
  cephfs: "CephFS",
  storageos: "StorageOS",
  wwids: "WWIDs",
  pdID: "PdID",
  uid: "UID",
};

/** Words that Go writes in capitals where a name begins with them. */
const acronyms =
  /^(dns|os|gce|aws|nfs|iscsi|rbd|fc|csi|pd|fs|iqn|api|ssl|tty|http|tcp|grpc|se|gmsa|ip)(?=[A-Z]|$)/;

const goName = (name: string, struct: string): string =>
  goNames[`${struct.replace(/PersistentVolumeSource$/, "VolumeSource")}.${name}`] ??
  goNames[name] ??
  name.replace(acronyms, (word) => word.toUpperCase()).replace(/^./, (char) => char.toUpperCase());
