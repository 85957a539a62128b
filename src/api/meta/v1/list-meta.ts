import { int64, message, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const ShardInfo = struct("io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo", {
  selector: string(1).always().expected().doc("The shard selector that the list was made with."),
}).doc("Which part of the objects a sharded list holds.");
export interface ShardInfo extends Infer<typeof ShardInfo> {}

export const ListMeta = struct("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta", {
  selfLink: string(1).doc("Unused; kept for old clients."),
  resourceVersion: string(2).doc(
    "The version the list shows; watch from here to see what follows.",
  ),
  continue: string(3).doc("Where the next page begins; absent on the last."),
  remainingItemCount: int64(4).pointer().doc("How many items follow this page, if that is known."),
  shardInfo: message(5, ShardInfo).doc("Set when the list is one shard of several."),
}).doc("What every list carries.");
export interface ListMeta extends Infer<typeof ListMeta> {}
