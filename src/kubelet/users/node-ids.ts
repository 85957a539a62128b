/** The user and group IDs of a node that pods may have, as whole blocks. */
export interface NodeIds {
  readonly first: number;
  /** How many pods can have a block. */
  readonly blocks: number;
  readonly idsPerPod: number;
}

export interface NodeIdsOptions {
  readonly idsPerPod: number;
  readonly maxPods: number;
  /** The output of getsubids; undefined if nothing limits the IDs of pods. */
  readonly subordinate?: string | undefined;
}

/** Decides which IDs the pods of a node may have. Throws if they do not suffice. */
export function nodeIds({ idsPerPod, maxPods, subordinate }: NodeIdsOptions): NodeIds {
  const { first, length } =
    subordinate === undefined
      ? // Without a limit all but those of the node's own users.
        { first: idsPerPod, length: allIds - idsPerPod }
      : subordinateIds(subordinate);
  if (idsPerPod % unit !== 0)
    throw new Error(`kubelet user namespace length ${idsPerPod} is not a multiple of ${unit}`);
  if (first % idsPerPod !== 0)
    throw new Error(`kubelet user assigned ID ${first} is not a multiple of ${idsPerPod}`);
  if (first < idsPerPod)
    throw new Error(`kubelet user assigned ID ${first} must be greater or equal to ${idsPerPod}`);
  if (length % idsPerPod !== 0)
    throw new Error(`kubelet user assigned IDs length ${length} is not a multiple of ${idsPerPod}`);
  const blocks = length / idsPerPod;
  if (blocks < maxPods)
    throw new Error(`kubelet user assigned IDs are not enough to support ${maxPods} pods`);
  return { first, blocks, idsPerPod };
}

/** The single range in the output of getsubids: `0: kubelet 65536 2147483648`. */
function subordinateIds(output: string): { readonly first: number; readonly length: number } {
  const lines = output.replace(/^\n+|\n+$/g, "").split("\n");
  const [line = ""] = lines;
  if (lines.length !== 1)
    throw new Error(`error parsing line ${JSON.stringify(output)}: it must contain only one line`);
  const [, , first = "", length = "", ...more] = line.trim().split(/\s+/);
  if (length === "" || more.length > 0) throw new Error(`invalid line ${JSON.stringify(output)}`);
  return { first: idIn(first, line), length: idIn(length, line) };
}

function idIn(text: string, line: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number < allIds) return number;
  const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  throw new Error(
    `error parsing line ${JSON.stringify(line)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
  );
}

const allIds = 2 ** 32;
const unit = 65_536;
