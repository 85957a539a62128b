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
      usage: "the `DIR` that holds all state (default: wherry in --cert-dir, if that is given)",
    }),
    config: stringFlag({
      usage: "a `FILE` of flags, see above; those on the command line win",
    }),
    "store-quota-bytes": optionFlag(
      intFlag({
        usage:
          "how many bytes the store in the data directory may have in use before it only lets objects be deleted; 0 for any number",
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
        problems.push("--data-dir is required: it says where all state is kept");
      if (hasEtcd && given.has("store-quota-bytes"))
        problems.push(
          "--store-quota-bytes is of a store of our own: with --etcd-servers, etcd has a limit",
        );
      problems.push(...etcdListenProblems(flags));
      if (hasEtcd && flags["etcd-listen"] !== "")
        problems.push(
          "--etcd-listen serves a store of our own: with --etcd-servers there is an etcd already",
        );
      return problems;
    },
    async sets(flags: WherryValues) {
      return { dir: resolve(dataDirectory(flags)), etcdListen: await givenEtcdListen(flags) };
    },
  },
);

/** What the group looks at, beside flags that stand alone. */
interface WherryValues extends EtcdListenValues {
  readonly "data-dir": string;
  readonly "cert-dir": string;
  readonly "etcd-servers": readonly string[];
}

/** The directory that holds all state; empty where no flag names one. */
function dataDirectory(flags: WherryValues): string {
  const { "data-dir": dataDir, "cert-dir": certDir } = flags;
  return dataDir === "" && certDir !== "" ? join(certDir, "wherry") : dataDir;
}
