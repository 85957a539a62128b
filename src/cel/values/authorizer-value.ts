import { type CelError, CelOpaque, type CelValue, orNoSuchOverload } from "./cel-value.ts";

/** What an expression asks an authorizer. */
export interface AuthorizationQuestion {
  /** Another user than that of the request. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
  readonly verb: string;
  /** A path that is no resource's, or a resource. */
  readonly of: { readonly path: string } | CheckedResource;
}

export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty if not given. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** The answer of an authorizer. */
export interface AuthorizationAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
  /** Why the authorizer could not decide, if so. */
  readonly error?: string;
}

/** Answers what expressions ask; throws `Pending` while it does not know. */
export type Authorize = (question: AuthorizationQuestion) => AuthorizationAnswer;

/** Values that cannot be compared with anything. */
export abstract class AuthorizationValue extends CelOpaque {
  override equals(other: CelValue): boolean | CelError {
    return orNoSuchOverload(other);
  }

  override toString(): string {
    return this.typeName;
  }
}

/** The variable `authorizer`: the rights of the user of a request, or of a service account. */
export class AuthorizerValue extends AuthorizationValue {
  override readonly typeName = "kubernetes.authorization.Authorizer";
  override readonly goType = "library.authorizerVal";
  readonly authorize: Authorize;
  readonly serviceAccount: AuthorizationQuestion["serviceAccount"];

  constructor(authorize: Authorize, serviceAccount?: AuthorizationQuestion["serviceAccount"]) {
    super();
    this.authorize = authorize;
    this.serviceAccount = serviceAccount;
  }
}

export class PathCheckValue extends AuthorizationValue {
  override readonly typeName = "kubernetes.authorization.PathCheck";
  override readonly goType = "library.pathCheckVal";
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

export class GroupCheckValue extends AuthorizationValue {
  override readonly typeName = "kubernetes.authorization.GroupCheck";
  override readonly goType = "library.groupCheckVal";
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** The variable `authorizer.requestResource`, and what a group check makes. */
export class ResourceCheckValue extends AuthorizationValue {
  override readonly typeName = "kubernetes.authorization.ResourceCheck";
  override readonly goType = "library.resourceCheckVal";
  readonly authorizer: AuthorizerValue;
  readonly resource: CheckedResource;

  constructor(authorizer: AuthorizerValue, resource: CheckedResource) {
    super();
    this.authorizer = authorizer;
    this.resource = resource;
  }
}

export class DecisionValue extends AuthorizationValue {
  override readonly typeName = "kubernetes.authorization.Decision";
  override readonly goType = "library.decisionVal";
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
}
