import type { Field } from "../../../schema/language/field.ts";
import { canonicalise, zeroOf } from "../../../schema/language/normalise.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { structOf, type Type } from "../../../schema/language/type.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";

/**
 * A value as errors show one that upstream holds in memory without names for JSON: each field under
 * its name in Go and in Go's order, absent ones as null or zero.
 */
export const internalForm = <T>(struct: Struct<T>, value: T | undefined): unknown =>
  value === undefined ? null : goStruct(struct as Struct, value as Members);

type Members = Readonly<Record<string, unknown>>;

/** Go keeps the namespaces that a pod shares in its security context; with what stands for none. */
const namespaceFields = [
  ["hostNetwork", false],
  ["hostPID", false],
  ["hostIPC", false],
  ["shareProcessNamespace", null],
  ["hostUsers", null],
] as const;

function inGoPlaces(spec: Members): Members {
  const { serviceAccount: _, securityContext, ...rest } = spec;
  const namespaces = Object.fromEntries(namespaceFields.map(([name]) => [name, spec[name]]));
  return { ...rest, securityContext: { ...(securityContext as Members), ...namespaces } };
}

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

const orders = new WeakMap<Struct, readonly string[]>();

function fieldsInGo(struct: Struct): readonly string[] {
  const { shortName, fields } = struct;
  let order = orders.get(struct);
  if (!order) {
    const names = Object.keys(fields).filter(
      (name) => shortName !== "PodSpec" || !isElsewhere(name),
    );
    for (const [name, after] of goOrder[shortName] ?? []) {
      names.splice(names.indexOf(name), 1);
      names.splice(names.indexOf(after) + 1, 0, name);
    }
    order = names;
    orders.set(struct, order);
  }
  return order;
}

const isElsewhere = (name: string): boolean =>
  name === "serviceAccount" || namespaceFields.some(([field]) => field === name);

function goStruct(struct: Struct, given: Members): unknown {
  // Types of apimachinery have names for JSON in memory too, and leave out what is absent.
  if (struct.name.startsWith("io.k8s.apimachinery.")) return canonicalise(struct, given);
  const value = struct.shortName === "PodSpec" ? inGoPlaces(given) : given;
  const out: Record<string, unknown> = {};
  if (struct.shortName === "PodSecurityContext")
    for (const [name, none] of namespaceFields)
      out[goName(name, struct.shortName)] = value[name] ?? none;
  for (const name of fieldsInGo(struct)) {
    const field = struct.fields[name] as Field;
    const form = goField(field, value[name]);
    // Go embeds it.
    if (name === "metadata") Object.assign(out, form);
    else out[goName(name, struct.shortName)] = form;
  }
  return out;
}

function goField({ type, zero }: Field, value: unknown): unknown {
  if (value !== undefined && value !== null) return goValue(type, value);
  if (zero === "pointer" || zero === "null" || type.of) return null;
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
  ips: "IPs",
  storageos: "StorageOS",
  wwids: "WWIDs",
  pdID: "PdID",
  uid: "UID",
};

/** Words that Go writes in capitals where a name begins with them. */
const acronyms =
  /^(dns|os|gce|aws|nfs|iscsi|rbd|fc|csi|pd|fs|iqn|api|ssl|tty|http|tcp|grpc|se|gmsa|ip|cel|pkix)(?=[A-Z]|$)/;

/** What Go calls a field of a struct. */
export const goName = (name: string, struct: string): string =>
  goNames[`${struct.replace(/PersistentVolumeSource$/, "VolumeSource")}.${name}`] ??
  goNames[name] ??
  name.replace(acronyms, (word) => word.toUpperCase()).replace(/^./, (char) => char.toUpperCase());
