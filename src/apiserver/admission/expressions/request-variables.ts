import {
  type Authorize,
  AuthorizerValue,
  ResourceCheckValue,
} from "../../../cel/values/authorizer-value.ts";
import type { CelValue } from "../../../cel/values/cel-value.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import { admissionRequest } from "../matching/admission-request.ts";
import { requestedNamespace } from "../matching/requested.ts";
import type { SeenRequest } from "../matching/seen-request.ts";

/** What expressions see of a request; made once for all that see its objects as the same kind. */
export class RequestVariables {
  readonly seen: SeenRequest;
  readonly object: CelValue;
  readonly oldObject: CelValue;
  readonly authorizer: AuthorizerValue;
  #request: CelValue | undefined;

  constructor(seen: SeenRequest, authorize: Authorize) {
    this.seen = seen;
    this.object = fromJson(seen.object ?? null);
    this.oldObject = fromJson(seen.old ?? null);
    this.authorizer = new AuthorizerValue(authorize);
  }

  get request(): CelValue {
    this.#request ??= fromJson(reviewedRequest(this.seen));
    return this.#request;
  }

  get requestResource(): CelValue {
    const { attributes } = this.seen;
    const { kind, name } = attributes.address;
    return new ResourceCheckValue(this.authorizer, {
      group: kind.group,
      resource: kind.plural,
      subresource: attributes.subresource,
      namespace: requestedNamespace(attributes),
      name,
      fieldSelector: "",
      labelSelector: "",
    });
  }
}

/** The objects are in variables of their own; an expression that does not mind types finds their places empty. */
const reviewedRequest = ({ attributes, seenAs }: SeenRequest) => ({
  uid: "",
  ...admissionRequest(attributes, seenAs),
  object: null,
  oldObject: null,
});
