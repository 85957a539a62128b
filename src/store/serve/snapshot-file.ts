import type { StoreView } from "../transactor.ts";
import { etcdErrors } from "./etcd-errors.ts";

/** Not there yet. */
export function snapshotFile(_view: StoreView): Uint8Array {
  throw etcdErrors.notSupported("snapshots");
}
