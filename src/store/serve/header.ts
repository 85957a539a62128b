import type { ResponseHeader } from "../etcd/etcd-messages.ts";

/** The identity of the server: a cluster of one member. */
export interface Member {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  readonly name: string;
  /** The URL for clients. */
  readonly url: string;
}

/** There are no elections: the first raft term never ends. */
export const term = 1;

/** The header of a response. */
export const headerOf = ({ clusterId, memberId }: Member, revision: number): ResponseHeader => ({
  cluster_id: clusterId,
  member_id: memberId,
  revision,
  raft_term: term,
});
