import type { OciConfig, OciRlimit } from "./oci-types.ts";

/**
 * The text of a `config.json`. A limit of -1 is written as the largest number of 64 bits, which JSON.stringify
 * cannot write.
 */
export function encodeOciConfig(config: OciConfig): string {
  const { rlimits } = config.process;
  const text = JSON.stringify({ ...config, process: { ...config.process, rlimits: [] } });
  // The first match is the key itself: quotes inside of strings are escaped.
  return text.replace('"rlimits":[]', () => `"rlimits":[${rlimits.map(rlimitText).join(",")}]`);
}

function rlimitText({ type, hard, soft }: OciRlimit): string {
  return `{"type":${JSON.stringify(type)},"hard":${limitText(hard)},"soft":${limitText(soft)}}`;
}

function limitText(limit: number): string {
  return limit === -1 ? "18446744073709551615" : String(limit);
}
