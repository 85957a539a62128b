/** Types of records, by the names that zone files use. */
export const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DNAME: 39,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

/** The Internet, the only class with names here. */
export const internetClass = 1;

/** How a query ended. Codes above 15 need EDNS. */
export const responseCodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;

const typeNames = new Map<number, string>(
  Object.entries(recordTypes).map(([name, code]) => [code, name]),
);
const codeNames = new Map<number, string>(
  Object.entries(responseCodes).map(([name, code]) => [code, name]),
);

/** The name of a type; `other` for those without one here, so that metrics are bounded. */
export const typeText = (type: number): string => typeNames.get(type) ?? "other";

/** The name of a response code. */
export const codeText = (code: number): string => codeNames.get(code) ?? `${code}`;
