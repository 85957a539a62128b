import { join, resolve } from "node:path";
import { intFlag, stringFlag } from "../../../../cli/flag.ts";
import { defaultQuotaBytes } from "../../../../store/lmdb/quota.ts";
import {
  type EtcdListenValues,
  etcdListenFlags,
  etcdListenProblems,
  givenEtcdListen,
} from "../../../serving/etcd-listen.ts";
import { flagGroup, optionFlag } from "./apiserver-flag.ts";

/** Flags that kube-apiserver does not have: where state is kept, and the store in the data directory. */
export const wherryFlags = flagGroup(
  "Wherry flags",
  {
    "data-dir": stringFlag({
      usage: "the `DIR` for all data (default: wherry in --cert-dir, if that is given)",
    }),
    config: stringFlag({
      usage: "a `FILE` with flags, see above; the command line overrides it",
    }),
    "store-quota-bytes": optionFlag(
      intFlag({
        usage:
          "the size limit in bytes of the store in the data directory: a full store only allows deletions; 0 for no limit",
        default: defaultQuotaBytes,
      }),
      {
        sets: (quotaBytes) => ({ quotaBytes }),
        problems: (bytes) => (bytes < 0 ? ["--store-quota-bytes must not be negative"] : []),
      },
    ),
    ...etcdListenFlags,
  },
  {
    problems(flags: WherryValues, given) {
      const problems: string[] = [];
      const hasEtcd = flags["etcd-servers"].length > 0;
      if (dataDirectory(flags) === "")
        problems.push("--data-dir is required: the directory for all data");
      if (hasEtcd && given.has("store-quota-bytes"))
        problems.push(
          "--store-quota-bytes applies to a store in the data directory: with --etcd-servers, set the quota of etcd",
        );
      problems.push(...etcdListenProblems(flags));
      if (hasEtcd && flags["etcd-listen"] !== "")
        problems.push(
          "--etcd-listen serves a store in the data directory: with --etcd-servers, connect to that etcd",
        );
      return problems;
    },
    async sets(flags: WherryValues) {
      return { dir: resolve(dataDirectory(flags)), etcdListen: await givenEtcdListen(flags) };
    },
  },
);

/** The flag values that the group reads. */
interface WherryValues extends EtcdListenValues {
  readonly "data-dir": string;
  readonly "cert-dir": string;
  readonly "etcd-servers": readonly string[];
}

/** The data directory; empty if no flag names one. */
function dataDirectory(flags: WherryValues): string {
  const { "data-dir": dataDir, "cert-dir": certDir } = flags;
  return dataDir === "" && certDir !== "" ? join(certDir, "wherry") : dataDir;
}
