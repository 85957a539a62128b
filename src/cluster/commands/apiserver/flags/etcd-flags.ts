import { boolFlag, durationFlag, intFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { notNegative } from "../../../flags/option-flag.ts";
import { only, refused } from "../../../flags/server-flag.ts";
import { etcdTls } from "../../../opening/etcd-tls.ts";
import type { EtcdAccess } from "../../../opening/open-store.ts";
import { coreFlag, flagGroup, optionFlag } from "./apiserver-flag.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const json = "application/json";
const mediaTypes = [json, protobuf, "application/yaml"];

/** Upstream's flags for the store; without etcd servers, objects are stored in the data directory. */
export const etcdFlags = flagGroup(
  "Etcd flags",
  {
    "etcd-servers": stringsFlag({
      usage: "the URLs of the etcd servers; without them, objects are stored in the data directory",
    }),
    "etcd-servers-overrides": refused(
      "all objects of a server share one revision, so that they are in one etcd",
      stringsFlag({ usage: "other servers for some resources, as group/resource#url;url" }),
    ),
    "etcd-cafile": stringFlag({ usage: "the `FILE` with the CA certificate of the etcd servers" }),
    "etcd-certfile": stringFlag({ usage: "the `FILE` with the client certificate for etcd" }),
    "etcd-keyfile": stringFlag({
      usage: "the `FILE` with the private key of the client certificate",
    }),
    "etcd-prefix": stringFlag({ usage: "the prefix of all keys in etcd", default: "/registry" }),
    "etcd-compaction-interval": coreFlag(
      "compactionIntervalMs",
      durationFlag({
        usage:
          "how often to compact revisions older than the previous compaction; 0 for never, which lets the store grow",
        default: 5 * 60_000,
      }),
      notNegative,
    ),
    "etcd-count-metric-poll-period": only(
      [60_000],
      { because: "objects are counted without requests to the store" },
      durationFlag({ usage: "how often to count objects in etcd", default: 60_000 }),
    ),
    "etcd-db-metric-poll-interval": durationFlag({
      usage: "how often to query the size of etcd; 0 for never",
      default: 30_000,
    }),
    "etcd-healthcheck-timeout": optionFlag(
      durationFlag({
        usage: "the timeout of health checks of the store",
        default: 2000,
      }),
      { sets: (healthMs) => ({ core: { storeTimeouts: { healthMs } } }) },
    ),
    "etcd-readycheck-timeout": optionFlag(
      durationFlag({
        usage: "the timeout of readiness checks of the store",
        default: 2000,
      }),
      { sets: (readyMs) => ({ core: { storeTimeouts: { readyMs } } }) },
    ),
    "lease-reuse-duration-seconds": intFlag({
      usage: "for how many seconds keys share a lease of etcd",
      default: 60,
    }),
    "storage-backend": optionFlag(
      stringFlag({ usage: "the type of the store: etcd3, with --etcd-servers" }),
      {
        problems: (backend) =>
          backend === "" || backend === "etcd3"
            ? []
            : [
                "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
              ],
      },
    ),
    "storage-media-type": optionFlag(
      {
        ...stringFlag({
          usage:
            "the format in which objects are stored: application/json or application/vnd.kubernetes.protobuf; both are read, and custom resources are always stored as JSON",
          default: protobuf,
        }),
        refusal: (name, value) =>
          value === "application/yaml"
            ? `--${name} is not supported: Wherry stores objects as JSON and protobuf only`
            : undefined,
      },
      {
        sets: (mediaType) => ({ core: { storesJson: mediaType === json } }),
        problems: (mediaType) =>
          mediaType === "" || mediaTypes.includes(mediaType)
            ? []
            : [
                `--storage-media-type ${quote(mediaType)} invalid, allowed values: ${mediaTypes.join(", ")}`,
              ],
      },
    ),
    "encryption-provider-config": stringFlag({
      usage:
        "the `FILE` with the configuration of encryption; without it, secrets in the data directory are encrypted with its own key, and nothing in etcd",
    }),
    "encryption-provider-config-automatic-reload": boolFlag({
      usage: "whether to reload that file when it changes",
    }),
    "delete-collection-workers": intFlag({
      usage:
        "how many objects of a collection upstream deletes at a time; Wherry deletes one after the other",
      default: 1,
    }),
    "enable-garbage-collector": only(
      [true],
      { because: "dependents are always deleted by the garbage collector" },
      boolFlag({
        usage: "whether dependents of deleted objects are garbage collected",
        default: true,
      }),
    ),
    "watch-cache": only(
      [true],
      { because: "lists and watches are always served from memory" },
      boolFlag({ usage: "whether lists and watches are served from memory", default: true }),
    ),
    "default-watch-cache-size": optionFlag(
      intFlag({
        usage: "how many events to keep",
        default: 100,
        deprecated:
          "watch caches are sized automatically and this flag will be removed in a future version",
      }),
      {
        problems: (size) =>
          size === 0
            ? [
                "--default-watch-cache-size=0 is not supported: lists and watches are always served from memory",
              ]
            : [],
      },
    ),
    "watch-cache-sizes": optionFlag(
      stringsFlag({
        usage:
          "resource[.group]#size: a size of 0 would disable the cache, which is not supported; other sizes have no effect",
      }),
      { problems: (sizes) => sizes.flatMap(cacheSizeProblem) },
    ),
  },
  {
    problems(flags: EtcdValues) {
      const reloads = flags["encryption-provider-config-automatic-reload"];
      return [
        ...serverProblems(flags),
        ...(reloads && flags["encryption-provider-config"] === ""
          ? [
              "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config",
            ]
          : []),
      ];
    },
    async sets(flags: EtcdValues) {
      const path = flags["encryption-provider-config"];
      const reloads = flags["encryption-provider-config-automatic-reload"];
      return {
        etcd: await etcdAccess(flags),
        encryption: path === "" ? undefined : { path, reloads },
      };
    },
  },
);

/** The flag values that the group reads. */
interface EtcdValues {
  readonly "etcd-servers": readonly string[];
  readonly "etcd-cafile": string;
  readonly "etcd-certfile": string;
  readonly "etcd-keyfile": string;
  readonly "etcd-prefix": string;
  readonly "etcd-compaction-interval": number;
  readonly "etcd-db-metric-poll-interval": number;
  readonly "lease-reuse-duration-seconds": number;
  readonly "storage-backend": string;
  readonly "encryption-provider-config": string;
  readonly "encryption-provider-config-automatic-reload": boolean;
}

async function etcdAccess(flags: EtcdValues): Promise<EtcdAccess | undefined> {
  const servers = flags["etcd-servers"];
  if (servers.length === 0) return undefined;
  const tls = await etcdTls(flags);
  return {
    servers,
    prefix: flags["etcd-prefix"],
    ...(tls && { tls }),
    compactionIntervalMs: flags["etcd-compaction-interval"],
    sizeIntervalMs: flags["etcd-db-metric-poll-interval"],
    leaseReuseSeconds: flags["lease-reuse-duration-seconds"],
  };
}

function serverProblems(flags: EtcdValues): string[] {
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
    `--watch-cache-sizes=${text} is not supported: lists and watches of ${resource} are always served from memory`,
  ];
}
