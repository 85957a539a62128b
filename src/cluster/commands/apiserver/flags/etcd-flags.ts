import {
  boolFlag,
  durationFlag,
  intFlag,
  stringFlag,
  stringsFlag,
  type Values,
} from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { later, only, section } from "../../../flags/server-flag.ts";

const overrides = "a store of several etcds";
const encryption = "encryption of what is stored";
const protobuf = "application/vnd.kubernetes.protobuf";
const mediaTypes = ["application/json", protobuf, "application/yaml"];

/** All that upstream says of its store; where no etcd is named, ours is a file in the data directory. */
export const etcdFlags = section("Etcd flags", {
  "etcd-servers": stringsFlag({
    usage: "the URLs of the servers of etcd; without it, objects are kept in the data directory",
  }),
  "etcd-servers-overrides": later(
    overrides,
    stringsFlag({ usage: "other servers for some resources, as group/resource#url;url" }),
  ),
  "etcd-cafile": stringFlag({ usage: "the `FILE` of the authority of etcd" }),
  "etcd-certfile": stringFlag({ usage: "the `FILE` of the certificate for etcd" }),
  "etcd-keyfile": stringFlag({ usage: "the `FILE` of the private key for etcd" }),
  "etcd-prefix": stringFlag({ usage: "what all keys begin with in etcd", default: "/registry" }),
  "etcd-compaction-interval": durationFlag({
    usage:
      "how often to forget what was not current any more the last time; 0 for never, and then the store only grows",
    default: 5 * 60_000,
  }),
  "etcd-count-metric-poll-period": only(
    [60_000],
    { because: "objects are not counted by asking the store" },
    durationFlag({ usage: "how often to count objects in etcd", default: 60_000 }),
  ),
  "etcd-db-metric-poll-interval": durationFlag({
    usage: "how often to ask etcd for its size; 0 for never",
    default: 30_000,
  }),
  "etcd-healthcheck-timeout": durationFlag({
    usage: "how long the store may take to say that it is well",
    default: 2000,
  }),
  "etcd-readycheck-timeout": durationFlag({
    usage: "how long the store may take to say that it is ready",
    default: 2000,
  }),
  "lease-reuse-duration-seconds": intFlag({
    usage: "how many seconds a lease of etcd is shared",
    default: 60,
  }),
  "storage-backend": stringFlag({ usage: "what kind of store to use: etcd3, with --etcd-servers" }),
  "storage-media-type": only(
    [protobuf],
    { because: "objects are stored as protobuf, and those of custom kinds as JSON" },
    stringFlag({ usage: "the format of what is stored", default: protobuf }),
  ),
  "encryption-provider-config": later(
    encryption,
    stringFlag({ usage: "the `FILE` that says how what is stored is encrypted" }),
  ),
  "encryption-provider-config-automatic-reload": only(
    [false],
    { because: `${encryption} is not part of this version` },
    boolFlag({ usage: "whether that file is read again when it changes" }),
  ),
  "delete-collection-workers": intFlag({
    usage: "how many objects of a collection upstream deletes at a time; here one after the other",
    default: 1,
  }),
  "enable-garbage-collector": only(
    [true],
    { because: "dependents are always left to the garbage collector" },
    boolFlag({ usage: "whether dependents of what is deleted are to be collected", default: true }),
  ),
  "watch-cache": only(
    [true],
    { because: "lists and watches are always served from memory" },
    boolFlag({ usage: "whether lists and watches are served from memory", default: true }),
  ),
  "default-watch-cache-size": intFlag({
    usage: "how many changes to keep",
    default: 100,
    deprecated:
      "watch caches are sized automatically and this flag will be removed in a future version",
  }),
  "watch-cache-sizes": stringsFlag({
    usage:
      "resource[.group]#size: a size of 0 would turn the cache off, which is not served; others are all the same",
  }),
});

/** What is wrong with the values, in upstream's words. */
export function etcdProblems(flags: Values<typeof etcdFlags>): string[] {
  const problems: string[] = [];
  const backend = flags["storage-backend"];
  if (backend !== "" && backend !== "etcd3")
    problems.push(
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    );
  problems.push(...serverProblems(flags));
  const mediaType = flags["storage-media-type"];
  if (mediaType !== "" && !mediaTypes.includes(mediaType))
    problems.push(
      `--storage-media-type ${quote(mediaType)} invalid, allowed values: ${mediaTypes.join(", ")}`,
    );
  if (flags["encryption-provider-config-automatic-reload"] && !flags["encryption-provider-config"])
    problems.push(
      "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config",
    );
  const interval = flags["etcd-compaction-interval"];
  if (interval < 0) problems.push("--etcd-compaction-interval can not be negative value");
  if (flags["default-watch-cache-size"] === 0)
    problems.push(
      "--default-watch-cache-size=0 is not served: lists and watches are always served from memory",
    );
  return [...problems, ...flags["watch-cache-sizes"].flatMap(cacheSizeProblem)];
}

function serverProblems(flags: Values<typeof etcdFlags>): string[] {
  const [cert, key] = [flags["etcd-certfile"], flags["etcd-keyfile"]];
  if ((cert === "") !== (key === ""))
    return [`KeyFile and CertFile must both be present[key: ${key}, cert: ${cert}]`];
  if (flags["etcd-servers"].length > 0) return [];
  if (flags["storage-backend"] === "etcd3") return ["--etcd-servers must be specified"];
  const isOdd = flags["etcd-cafile"] !== "" || cert !== "" || flags["etcd-prefix"] !== "/registry";
  return isOdd ? ["--etcd-servers must be specified with other flags of etcd"] : [];
}

function cacheSizeProblem(text: string): string[] {
  const [resource = "", size = "", ...more] = text.split("#");
  if (!text.includes("#") || more.length > 0) return [`invalid value of watch cache size: ${text}`];
  if (!/^[-+]?\d+$/.test(size)) return [`invalid size of watch cache size: ${text}`];
  if (Number(size) < 0) return [`watch cache size cannot be negative: ${text}`];
  if (Number(size) > 0) return [];
  return [
    `--watch-cache-sizes=${text} is not served: lists and watches of ${resource} are always served from memory`,
  ];
}
