import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** What an event says of a volume. */
export const volumeNote = (what: string, volume: string, detail = ""): string =>
  `${what} for volume "${volume}" ${detail}`;

/**
 * What an event of a pod says when its volume is still attached to another node, where `users` need it. Pods of
 * other namespaces are counted, not named: users of a namespace may not know them.
 */
export function multiAttachNote(pod: Pod, volume: string, users: readonly Pod[]): string {
  return volumeNote("Waiting for detach", volume, usersNote(pod, users));
}

function usersNote({ metadata: { namespace } }: Pod, users: readonly Pod[]): string {
  if (users.length === 0)
    return "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node";
  const names = users
    .filter((user) => user.metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
  const others = users.length - names.length;
  const elsewhere = `${others} pod(s) in different namespaces`;
  if (names.length === 0) return `Volume is already used by ${elsewhere}`;
  const used = `Volume is already used by pod(s) ${names.join(", ")}`;
  return others > 0 ? `${used} and ${elsewhere}` : used;
}
