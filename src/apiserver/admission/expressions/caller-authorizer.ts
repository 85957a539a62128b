import { errorMessage } from "../../../base/error-message.ts";
import { Pending } from "../../../cel/evaluation/pending.ts";
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
  Authorize,
} from "../../../cel/values/authorizer-value.ts";
import {
  serviceAccountGroups,
  serviceAccountUserName,
} from "../../authentication/service-account-user.ts";
import {
  type Attributes,
  parsedFields,
  parsedLabels,
  pathAttributes,
  resourceAttributes,
} from "../../authorization/attributes.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { User } from "../../request/identity.ts";

/** Answers the checks of rights in expressions for the caller of one request; each is decided once. */
export function callerAuthorizer(
  authorizer: Pick<Authorizer, "authorize">,
  caller: User,
): Authorize {
  const known = new Map<string, AuthorizationAnswer>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = known.get(key);
    if (answer) return answer;
    throw new Pending(
      decide(authorizer, attributesOf(caller, question)).then((decided) => known.set(key, decided)),
    );
  };
}

async function decide(
  authorizer: Pick<Authorizer, "authorize">,
  attributes: Attributes,
): Promise<AuthorizationAnswer> {
  try {
    const { verdict, reason } = await authorizer.authorize(attributes);
    return { isAllowed: verdict === "allow", reason };
  } catch (error) {
    return { isAllowed: false, reason: "", error: errorMessage(error) };
  }
}

function attributesOf(
  caller: User,
  { serviceAccount, verb, of }: AuthorizationQuestion,
): Attributes {
  const user = serviceAccount ? accountUser(serviceAccount) : caller;
  if ("path" in of) return pathAttributes(user, verb, of.path);
  const { fieldSelector, labelSelector, ...resource } = of;
  return resourceAttributes(user, verb, {
    ...resource,
    version: "*",
    ...(fieldSelector !== "" && { fieldSelector: parsedFields(fieldSelector) }),
    ...(labelSelector !== "" && { labelSelector: parsedLabels(labelSelector) }),
  });
}

/** A service account without a token: it is in no group of authenticated users. */
const accountUser = ({ namespace, name }: ServiceAccount): User => ({
  name: serviceAccountUserName(namespace, name),
  groups: serviceAccountGroups(namespace),
});

type ServiceAccount = NonNullable<AuthorizationQuestion["serviceAccount"]>;
