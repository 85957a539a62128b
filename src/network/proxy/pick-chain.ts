/** A chain that picks one of a number of endpoints: there is one for each number in use. */
export interface PickChain {
  readonly protocol: NftProtocol;
  /** How the frontend is found: by address and port, or by the port of a node. */
  readonly by: "service" | "node-port";
  readonly list: "cluster" | "local";
  /** Whether clients stay with the endpoint that they had. */
  readonly isSticky: boolean;
  readonly count: number;
}

/** The verdict that leads to a chain; chains are found by the verdicts of elements. */
export const pickVerdict = ({ protocol, by, list, isSticky, count }: PickChain): string =>
  `goto pick-${protocol}-${by}-${list}-${isSticky ? "sticky" : "any"}-${count}`;

/** The verdict that lets a client stay with its endpoint for some time. */
export const rememberVerdict = (seconds: number): string => `goto remember-${seconds}`;

/** Where the local endpoints of a frontend start in its list of endpoints. */
export const firstLocal = 1 << 16;

/** The rules of the chain that a verdict leads to, if it is one of these. */
export function chainRules(
  verdict: string,
  family: "ip" | "ip6",
): { readonly chain: string; readonly rules: readonly string[] } | undefined {
  const chain = verdict.replace("goto ", "");
  const pick = /^pick-(tcp|udp|sctp)-(service|node-port)-(cluster|local)-(sticky|any)-(\d+)$/.exec(
    chain,
  );
  if (pick) {
    const [, protocol, by, list, stay, count] = pick;
    const port = `${protocol} dport`;
    const frontend = by === "service" ? `${family} daddr . ${port}` : port;
    const offset = list === "local" ? ` offset ${firstLocal}` : "";
    const dnat = `dnat ${family} addr . port to`;
    return {
      chain,
      rules: [
        ...(stay === "sticky"
          ? [
              `${dnat} ${family} saddr . ${family} daddr . meta l4proto . ${port} map @sticky-clients`,
            ]
          : []),
        `${dnat} numgen random mod ${count}${offset} . ${frontend} map @${protocol}-${by}-endpoints`,
      ],
    };
  }
  const remember = /^remember-(\d+)$/.exec(chain);
  if (!remember) return undefined;
  return {
    chain,
    rules: protocols.map(
      (protocol) =>
        `meta l4proto ${protocol} update @sticky-clients { ct original ${family} saddr . ct original ${family} daddr . meta l4proto . ct original proto-dst timeout ${remember[1]}s : ${family} daddr . th dport }`,
    ),
  };
}

/** nft knows what a port of a connection is only after a rule has named the protocol. */
export const protocols = ["tcp", "udp", "sctp"] as const;

export type NftProtocol = (typeof protocols)[number];
