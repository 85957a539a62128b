/** A network as it is recorded. */
export interface NetworkRecord {
  readonly id: string;
  readonly name: string;
  readonly driver: "bridge" | "host" | "null";
  readonly createdAt: number;
  /** Whether nothing outside of it can be reached. */
  readonly isInternal: boolean;
  readonly isAttachable: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  /** Of bridges only. */
  readonly bridge?: BridgeRecord | undefined;
}

export interface BridgeRecord {
  /** The name of the interface on the host. */
  readonly interface: string;
  readonly subnet: string;
  readonly gateway: string;
  /** The part of the subnet from which addresses are given, if it is not all of it. */
  readonly range?: string | undefined;
}

export const builtInNames: ReadonlySet<string> = new Set(["bridge", "host", "none"]);
