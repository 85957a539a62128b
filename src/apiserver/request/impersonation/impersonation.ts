import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Attributes } from "../../authorization/attributes.ts";
import { authorize } from "../../authorization/authorize.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { User } from "../identity.ts";
import { checkedUser, type ImpersonationMode, impersonationModes } from "./impersonation-modes.ts";

/** Returns the user that the caller may impersonate; throws if it may not. */
export type Impersonate = (wanted: User, attributes: Attributes) => Promise<Impersonated>;

/** The user that is impersonated, and the verb that allowed it if the mode is a constrained one. */
export interface Impersonated {
  readonly user: User;
  readonly constraint: string | undefined;
}

/** How many callers are remembered with the mode that last allowed them to impersonate. */
const remembered = 10_000;

/**
 * Tries the mode that last allowed this caller, then the others, the narrowest first. Where none allows it,
 * the error of the first is thrown.
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
        return { user, constraint: mode.onVerb && mode.verb };
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

/** Adds the group of authenticated or of unauthenticated users: every user is in one of them. */
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
