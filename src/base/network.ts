/** Connections to others as a dependency: the real ones live in platform. */
export interface Network {
  /** Opens a connection; where it cannot, the error says why in one line, as Go's dialler does. */
  dial(target: DialTarget, signal: AbortSignal): Promise<ByteStream>;
  /** The addresses of a host; an address is its own. */
  lookup(host: string): Promise<readonly string[]>;
}

/** Whom to connect to. */
export interface DialTarget {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** Absent: bytes go as they are. */
  readonly tls?: DialTls;
}

/** How the other side is known, and who we are for it; all PEM. */
export interface DialTls {
  /** Who may sign the other's certificate; anybody whom the machine trusts if not given. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the other's certificate must hold, if it is not the host. */
  readonly serverName?: string | undefined;
  /** Whether any certificate will do. */
  readonly insecure?: boolean | undefined;
}

/** Bytes both ways; each way ends on its own. One read and one write at a time. */
export interface ByteStream {
  /** The next bytes; undefined once the other side has ended. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when more is welcome. */
  write(bytes: Uint8Array): Promise<void>;
  /** Says that nothing more will be written; resolves when all that was is on its way. */
  end(): Promise<void>;
  /** Gives it up, both ways: whoever reads or writes is told. */
  destroy(): void;
}

/** A host with its port, as addresses are written: `[::1]:80`. */
export const hostPort = (host: string, port: number | string): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

/** The network of whoever has none. */
export const noNetwork: Network = {
  async dial({ host, port }) {
    throw new Error(`dial tcp ${hostPort(host, port)}: connect: network is unreachable`);
  },
  async lookup(host) {
    throw new Error(`lookup ${host}: no such host`);
  },
};
