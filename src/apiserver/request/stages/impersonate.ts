import type { Authorizer } from "../../authorization/authorizer.ts";
import { impersonation } from "../impersonation/impersonation.ts";
import { wantedUser } from "../impersonation/impersonation-headers.ts";
import type { Stage } from "../stage.ts";

/** Makes the request that of another user where its headers ask for it and the caller may do so. */
export function impersonate({ authorizer }: { readonly authorizer: Authorizer }): Stage {
  const userFor = impersonation(authorizer);
  return {
    name: "impersonate",
    before(state) {
      const wanted = wantedUser(state.request);
      if (!wanted) return undefined;
      const { attributes } = state;
      return userFor(wanted, attributes).then(({ user, constraint }) => {
        state.attributes = { ...attributes, user };
        state.audit?.impersonate(user, constraint);
        return undefined;
      });
    },
  };
}
