import { serviceAccountGroups } from "../../authentication/service-account-user.ts";
import { type Attributes, resourceAttributes } from "../../authorization/attributes.ts";
import { forbiddenTo } from "../../authorization/authorize.ts";
import type { User } from "../identity.ts";
import { nodeNamed, serviceAccountNamed } from "../user-name.ts";
import { extraFault } from "./impersonation-extra.ts";

/** One set of rights by which a caller may impersonate a user. */
export interface ImpersonationMode {
  /** The verb that the caller must have on the user's name, groups and other attributes. */
  readonly verb: string;
  /** The prefix of the request's own verb, in modes that check it, too. */
  readonly onVerb?: string;
  /** Whether the mode covers such a user. */
  applies(wanted: User, requestor: User): boolean;
  /** Changes the attributes that are authorized. */
  asAsked?(attributes: Attributes): Attributes;
}

const constrained = (
  name: string,
  mode: Pick<ImpersonationMode, "applies" | "asAsked">,
): ImpersonationMode => ({
  verb: `impersonate:${name}`,
  onVerb: `impersonate-on:${name}`,
  ...mode,
});

/** All modes, the narrowest first. */
export const impersonationModes: readonly ImpersonationMode[] = [
  constrained("associated-node", {
    applies: (wanted, requestor) => isOnlyName(wanted) && isOnNode(requestor, wanted.name),
    asAsked: onAnyNode,
  }),
  constrained("arbitrary-node", {
    applies: (wanted) => isOnlyName(wanted) && nodeNamed(wanted.name) !== undefined,
  }),
  constrained("serviceaccount", {
    applies: (wanted) => isOnlyName(wanted) && serviceAccountNamed(wanted.name) !== undefined,
  }),
  constrained("user-info", {
    applies: ({ name }) => !nodeNamed(name) && !serviceAccountNamed(name),
  }),
  { verb: "impersonate", applies: () => true },
];

const isOnlyName = ({ uid = "", groups, extra = {} }: User): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;

const nodeKey = "authentication.kubernetes.io/node-name";

/** Whether the caller is the service account of a pod on the node with this user name. */
function isOnNode({ name, extra = {} }: User, nodeUser: string): boolean {
  const node = nodeNamed(nodeUser);
  if (node === undefined || !serviceAccountNamed(name)) return false;
  const values = extra[nodeKey] ?? [];
  return values.length === 1 && values[0] === node;
}

/** The right to impersonate the own node holds on every node, so node and pod are left out. */
function onAnyNode(attributes: Attributes): Attributes {
  const { user, verb, name } = attributes;
  const keys = Object.keys(user.extra ?? {}).sort();
  const extra = { "authentication.kubernetes.io/associated-node-keys": keys };
  const isNode = verb === "impersonate:associated-node";
  return { ...attributes, user: { ...user, extra }, name: isNode ? "*" : name };
}

/** Throws the rejection unless the attributes are allowed. */
export type Check = (attributes: Attributes) => Promise<void>;

const authentication = { group: "authentication.k8s.io", version: "v1" };
const core = { group: "", version: "v1" };

/** From this number of groups on, the right to all groups is checked first. */
const many = 4;

/** Checks the right to each attribute of a user, and returns the user to impersonate. */
export async function checkedUser(
  { verb, onVerb }: ImpersonationMode,
  wanted: User,
  { requestor, check }: { readonly requestor: User; readonly check: Check },
): Promise<User> {
  const isConstrained = onVerb !== undefined;
  const group = isConstrained ? authentication : core;
  const asked = (about: Partial<Attributes>) => resourceAttributes(requestor, verb, about);
  const { uid = "", extra = {} } = wanted;

  const named = nameChecks(wanted, isConstrained);
  await check(asked({ ...group, ...named.about }));
  if (uid !== "") await check(asked({ ...authentication, resource: "uids", name: uid }));
  const groups = asked({ ...group, resource: "groups" });
  if (isConstrained) refuseGroups(groups, wanted.groups);
  await checkEach(
    wanted.groups.map((name) => ({ ...groups, name })),
    {
      check,
      all: isConstrained ? { ...groups, name: "*" } : undefined,
    },
  );
  const extras = asked({ ...authentication, resource: "userextras" });
  const fault = isConstrained ? extraFault(extra) : undefined;
  if (fault !== undefined) throw forbiddenTo(extras, fault);
  const values = Object.entries(extra).flatMap(([subresource, names]) =>
    names.map((name) => ({ ...extras, subresource, name })),
  );
  await checkEach(values, {
    check,
    all: isConstrained ? { ...extras, subresource: "*", name: "*" } : undefined,
  });
  return { ...wanted, groups: named.groups };
}

/** The resource that stands for a user's name in rules, and the groups that the name implies. */
function nameChecks(
  { name, groups }: User,
  isConstrained: boolean,
): { readonly about: Partial<Attributes>; readonly groups: readonly string[] } {
  const node = isConstrained ? nodeNamed(name) : undefined;
  if (node !== undefined)
    return { about: { resource: "nodes", name: node }, groups: ["system:nodes"] };
  const account = serviceAccountNamed(name);
  if (!account) return { about: { resource: "users", name }, groups };
  const { namespace } = account;
  const own = serviceAccountGroups(namespace);
  return {
    about: { resource: "serviceaccounts", ...account },
    groups: groups.length === 0 ? own : groups,
  };
}

function refuseGroups(attributes: Attributes, groups: readonly string[]): void {
  if (groups.includes(""))
    throw forbiddenTo(attributes, "impersonating the empty string group is not allowed");
  const privileged = "system:masters";
  if (groups.includes(privileged))
    throw forbiddenTo(
      { ...attributes, name: privileged },
      "impersonating the system:masters group is not allowed",
    );
}

async function checkEach(
  each: readonly Attributes[],
  { check, all }: { readonly check: Check; readonly all: Attributes | undefined },
): Promise<void> {
  if (all && each.length >= many && (await isAllowed(check, all))) return;
  for (const attributes of each) await check(attributes);
}

const isAllowed = (check: Check, attributes: Attributes): Promise<boolean> =>
  check(attributes).then(
    () => true,
    () => false,
  );
