/** Outgoing connections as a dependency; the real implementation is in platform. */
export interface Network {
  /** Opens a connection. Its errors are one line, in the words of Go's dialler. */
  dial(target: DialTarget, signal: AbortSignal): Promise<ByteStream>;
  /** The addresses of a host; an IP address resolves to itself. */
  lookup(host: string): Promise<readonly string[]>;
}

/** The target of a connection. */
export interface DialTarget {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** Absent: the connection is not encrypted. */
  readonly tls?: DialTls;
}

/** How the server is verified, and our client certificate; all PEM. */
export interface DialTls {
  /** The certificate authorities of the server; those that the machine trusts if not given. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the server's certificate must contain, if it is not the host. */
  readonly serverName?: string | undefined;
  /** Skips verification of the server's certificate. */
  readonly insecure?: boolean | undefined;
}

/** A duplex stream of bytes; each direction ends on its own. Only one read and one write may be pending. */
export interface ByteStream {
  /** The next bytes; undefined once the peer has ended its direction. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when the stream can take more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends our direction; resolves when everything written has been sent. */
  end(): Promise<void>;
  /** Closes both directions at once: pending reads and writes fail. */
  destroy(): void;
}

/** Accepts connections within the process, at a host of its own, in place of a socket. */
export type AcceptStreams = (serve: (stream: ByteStream) => void) => AcceptedHost;

export interface AcceptedHost {
  readonly host: string;
  /** No more connections are accepted. */
  close(): void;
}

/** A host with its port, as addresses are written: `[::1]:80`. */
export const hostPort = (host: string, port: number | string): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

/** A network on which every connection fails. */
export const noNetwork: Network = {
  async dial({ host, port }) {
    throw new Error(`dial tcp ${hostPort(host, port)}: connect: network is unreachable`);
  },
  async lookup(host) {
    throw new Error(`lookup ${host}: no such host`);
  },
};
