import type { Authorizer } from "../../authorization/authorizer.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { Attributes } from "../admission.ts";
import { seeRequest } from "../matching/seen-request.ts";
import { callerAuthorizer } from "./caller-authorizer.ts";
import { RequestVariables } from "./request-variables.ts";

/** A request as expressions see it, as each kind that one asks for; each question of rights is decided once. */
export class RequestViews {
  readonly #attributes: Attributes;
  readonly #authorize: ReturnType<typeof callerAuthorizer>;
  readonly #known = new Map<AnyKind, RequestVariables | Promise<RequestVariables>>();

  constructor(attributes: Attributes, authorizer: Pick<Authorizer, "authorize">) {
    this.#attributes = attributes;
    this.#authorize = callerAuthorizer(authorizer, attributes.context.user);
  }

  /** The request with its objects as those of a kind; a promise only where a webhook converts them. */
  as(kind: AnyKind): RequestVariables | Promise<RequestVariables> {
    let view = this.#known.get(kind);
    if (!view) {
      const seen = seeRequest(this.#attributes, kind);
      view =
        seen instanceof Promise
          ? seen.then((each) => new RequestVariables(each, this.#authorize))
          : new RequestVariables(seen, this.#authorize);
      this.#known.set(kind, view);
    }
    return view;
  }
}
