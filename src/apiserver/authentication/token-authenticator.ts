import type { User } from "../request/identity.ts";

/** An authenticated user, and the requested audiences that the token has. */
export interface Authenticated extends Annotated {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Annotations for the audit log, by key; none of them tells anything of the token. */
interface Annotated {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** What the caller is warned of. */
  readonly warnings?: readonly string[] | undefined;
}

/** Why a token was rejected; empty where this authenticator does not know such tokens. */
export interface Refused extends Annotated {
  readonly errors: readonly string[];
}

/** Authenticates tokens of one type. */
export interface TokenAuthenticator {
  authenticate(
    token: string,
    audiences: readonly string[],
  ): Promise<Authenticated | Refused> | Authenticated | Refused;
}

export const unknownToken: Refused = { errors: [] };
export const refused = (error: string): Refused => ({ errors: [error] });

/** Tries authenticators in order. The first success counts, and errors before it are dropped. */
export const anyOf = (authenticators: readonly TokenAuthenticator[]): TokenAuthenticator => ({
  async authenticate(token, audiences) {
    const errors = new Set<string>();
    for (const authenticator of authenticators) {
      const outcome = await authenticator.authenticate(token, audiences);
      if ("user" in outcome) return outcome;
      for (const error of outcome.errors) errors.add(error);
    }
    return { errors: [...errors] };
  },
});

/** Makes an authenticator for tokens that name no audience: they are meant for the API server. */
export const forServer = (
  own: readonly string[],
  userOf: (token: string) => Promise<User | undefined> | User | undefined,
): TokenAuthenticator => ({
  async authenticate(token, audiences) {
    const common = commonAudiences(own, audiences);
    const user = common.length === 0 ? undefined : await userOf(token);
    return user ? { user, audiences: common } : unknownToken;
  },
});

/** The wanted audiences that are among the others. */
export const commonAudiences = (
  audiences: readonly string[],
  wanted: readonly string[],
): string[] => wanted.filter((audience) => audiences.includes(audience));
