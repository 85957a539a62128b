import type { IdRange } from "../../cri/linux-types.ts";

/** The content of the file in which a kubelet remembers the IDs of a pod, as upstream writes it. */
export function formatIdMappings(hostId: number, length: number): string {
  const mappings = [{ hostId, containerId: 0, length }];
  return JSON.stringify({ uidMappings: mappings, gidMappings: mappings });
}

/** The IDs in such a file; undefined if it is empty. Throws if they are not such as a kubelet gives. */
export function parseIdMappings(text: string): IdRange | undefined {
  if (text === "") return undefined;
  const { uidMappings, gidMappings } = parsed(text);
  const [uids] = uidMappings;
  const [gids] = gidMappings;
  if (!uids || uidMappings.length !== 1)
    throw new Error("invalid user namespace configuration: no more than one mapping allowed.");
  if (!gids || gidMappings.length !== 1)
    throw new Error(
      "invalid user namespace configuration: GID and UID mappings should be identical.",
    );
  if (JSON.stringify(uids) !== JSON.stringify(gids))
    throw new Error(
      "invalid user namespace configuration: GID and UID mapping should be identical",
    );
  if (uids.containerId !== 0)
    throw new Error("invalid user namespace configuration: UID 0 must be mapped");
  return uids;
}

function parsed(text: string): Record<"uidMappings" | "gidMappings", readonly IdRange[]> {
  try {
    const { uidMappings, gidMappings } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return { uidMappings: ranges(uidMappings), gidMappings: ranges(gidMappings) };
  } catch (cause) {
    throw new Error(`invalid user namespace mappings file: ${(cause as Error).message}`, { cause });
  }
}

const ranges = (given: unknown): readonly IdRange[] =>
  ((given ?? []) as readonly Partial<IdRange>[]).map(
    ({ hostId = 0, containerId = 0, length = 0 }) => ({ hostId, containerId, length }),
  );
