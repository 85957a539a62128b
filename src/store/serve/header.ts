import type { ResponseHeader } from "../etcd/etcd-messages.ts";

/** Who answers: a cluster of one member. */
export interface Member {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  readonly name: string;
  /** Where clients reach it. */
  readonly url: string;
}

/** There are no elections here, so the first term never ends. */
export const term = 1;

/** The header of an answer. */
export const headerOf = ({ clusterId, memberId }: Member, revision: number): ResponseHeader => ({
  cluster_id: clusterId,
  member_id: memberId,
  revision,
  raft_term: term,
});
