/** The span of a caller, as the header `traceparent` names it (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the caller exports its span. */
  readonly isSampled: boolean;
}

/** Reads the header; undefined if it is absent or invalid. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version = "", traceId = "", spanId = "", flags = "", more = ""] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header ?? "") ?? [];
  if (version === "" || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined;
  // Only later versions may have more parts.
  if (version === "00" && more !== "") return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Whether a trace is in the sample: all servers with the same rate choose the same traces. */
export function isInSample(traceId: string, ratePerMillion: number): boolean {
  if (ratePerMillion >= 1_000_000) return true;
  const bound = (BigInt(Math.max(ratePerMillion, 0)) << 63n) / 1_000_000n;
  return BigInt(`0x${traceId.slice(16)}`) >> 1n < bound;
}
