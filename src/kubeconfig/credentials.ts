/** Who we are for a server, as it is shown to it. */
export interface Identity {
  /** The header `Authorization`. */
  readonly authorization?: string | undefined;
  /** A client certificate and its key, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Where an identity comes from that may change in time. */
export interface Credentials {
  /** Who we are now; the same object as long as nothing has changed. */
  current(): Promise<Identity>;
  /** Is told that a server does not accept an identity; resolves with whether there is another now. */
  renew(refused: Identity): Promise<boolean>;
  /** Ends what is under way. */
  close?(): void;
}

/** An identity that never changes. */
export function fixedCredentials(identity: Identity): Credentials {
  return { current: async () => identity, renew: async () => false };
}

/** What several sources say together; of two that say the same thing, the earlier one counts. */
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
