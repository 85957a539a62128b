import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Attributes } from "../../authorization/attributes.ts";
import { authorize } from "../../authorization/authorize.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { User } from "../identity.ts";
import { checkedUser, type ImpersonationMode, impersonationModes } from "./impersonation-modes.ts";

/** Says as whom a request is made that wants to be made as another user; throws if it may not. */
export type Impersonate = (wanted: User, attributes: Attributes) => Promise<User>;

/** How many users are remembered with the mode in which they last succeeded. */
const remembered = 10_000;

/**
 * Tries the modes, the narrowest first, but that in which a user last succeeded before all others.
 * What the first one to fail says is the answer where none succeeds.
 */
export function impersonation(authorizer: Authorizer): Impersonate {
  const lastModes = new Map<string, ImpersonationMode>();
  return async (wanted, attributes) => {
    const { name } = attributes.user;
    const last = lastModes.get(name);
    const modes = impersonationModes.filter(
      (mode) => mode !== last && mode.applies(wanted, attributes.user),
    );
    if (last?.applies(wanted, attributes.user)) modes.unshift(last);
    let refusal: unknown;
    for (const mode of modes) {
      try {
        const user = await impersonated(authorizer, mode, { wanted, attributes });
        remember(lastModes, name, mode);
        return user;
      } catch (error) {
        if (!StatusError.is(error, "Forbidden")) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  };
}

async function impersonated(
  authorizer: Authorizer,
  mode: ImpersonationMode,
  { wanted, attributes }: { readonly wanted: User; readonly attributes: Attributes },
): Promise<User> {
  const check = (asked: Attributes) => authorize(authorizer, mode.asAsked?.(asked) ?? asked);
  if (mode.onVerb) await check({ ...attributes, verb: `${mode.onVerb}:${attributes.verb}` });
  const user = await checkedUser(mode, wanted, { requestor: attributes.user, check });
  return { ...user, groups: withAuthenticated(user) };
}

/** Everybody is either known or not, and in the group that says so. */
function withAuthenticated({ name, groups }: User): readonly string[] {
  const unknown = "system:unauthenticated";
  if (name !== "system:anonymous" && groups.includes(unknown)) return groups;
  const group = name === "system:anonymous" ? unknown : "system:authenticated";
  return groups.includes(group) ? groups : [...groups, group];
}

function remember(
  lastModes: Map<string, ImpersonationMode>,
  name: string,
  mode: ImpersonationMode,
): void {
  lastModes.delete(name);
  lastModes.set(name, mode);
  if (lastModes.size <= remembered) return;
  for (const [oldest] of lastModes) {
    lastModes.delete(oldest);
    return;
  }
}
