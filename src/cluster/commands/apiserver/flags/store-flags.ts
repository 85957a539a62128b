import { intFlag } from "../../../../cli/flag.ts";
import { defaultQuotaBytes } from "../../../../store/lmdb/quota.ts";

/** What there is to say of a store in the data directory. */
export const storeFlags = {
  "store-quota-bytes": intFlag({
    usage:
      "how many bytes the store in the data directory may have in use before it only lets objects be deleted; 0 for any number",
    default: defaultQuotaBytes,
  }),
};

interface Flags {
  readonly "store-quota-bytes": number;
  readonly "etcd-servers": readonly string[];
}

/** All that is wrong with the flags. */
export function storeProblems(flags: Flags, given: ReadonlySet<string>): string[] {
  if (!given.has("store-quota-bytes")) return [];
  if (flags["etcd-servers"].length > 0)
    return ["--store-quota-bytes is of a store of our own: with --etcd-servers, etcd has a limit"];
  return flags["store-quota-bytes"] < 0 ? ["--store-quota-bytes must not be negative"] : [];
}
