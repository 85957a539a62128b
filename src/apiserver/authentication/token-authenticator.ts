import type { User } from "../request/identity.ts";

/** A user who was recognised, and those of the audiences asked for that the token is meant for. */
export interface Authenticated {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Why a token was refused; nothing where it is none of those that are known here. */
export interface Refused {
  readonly errors: readonly string[];
}

/** Knows the users of one sort of tokens. */
export interface TokenAuthenticator {
  authenticate(
    token: string,
    audiences: readonly string[],
  ): Promise<Authenticated | Refused> | Authenticated | Refused;
}

export const unknownToken: Refused = { errors: [] };
export const refused = (error: string): Refused => ({ errors: [error] });

/** The first that knows a token answers for it; the errors of those before are forgotten then. */
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

/** An authenticator of tokens that name no audience: they are meant for the API server. */
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

/** Those of the wanted audiences that are among the others. */
export const commonAudiences = (
  audiences: readonly string[],
  wanted: readonly string[],
): string[] => wanted.filter((audience) => audiences.includes(audience));
