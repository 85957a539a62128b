/** The credentials that are sent to a server. */
export interface Identity {
  /** The header `Authorization`. */
  readonly authorization?: string | undefined;
  /** A client certificate and its key, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A source of credentials that may change over time. */
export interface Credentials {
  /** The current credentials; the same object while nothing has changed. */
  current(): Promise<Identity>;
  /** Called when a server rejected these credentials; resolves to whether there are others now. */
  renew(refused: Identity): Promise<boolean>;
  /** Aborts pending work. */
  close?(): void;
}

/** Credentials that never change. */
export function fixedCredentials(identity: Identity): Credentials {
  return { current: async () => identity, renew: async () => false };
}

/** Merges several sources; where two have the same member, the earlier one wins. */
export function joinedCredentials(sources: readonly Credentials[]): Credentials {
  const [only] = sources;
  if (sources.length === 1 && only) return only;
  let parts: readonly Identity[] = [];
  let joined: Identity = {};
  return {
    async current() {
      const now = await Promise.all(sources.map((source) => source.current()));
      if (now.length !== parts.length || now.some((part, index) => part !== parts[index])) {
        parts = now;
        joined = Object.assign({}, ...now.toReversed()) as Identity;
      }
      return joined;
    },
    async renew(refused) {
      if (refused !== joined) return true;
      const used = parts;
      const renewed = await Promise.all(
        sources.map((source, index) => source.renew(used[index] ?? {})),
      );
      return renewed.includes(true);
    },
    close() {
      for (const source of sources) source.close?.();
    },
  };
}
