import type { PolicyRule } from "../../../../api/rbac/v1/policy-rule.ts";
import { boolFlag } from "../../../../cli/flag.ts";
import { parseApiVersion } from "../../../../client/discovery/server-apis.ts";
import { goString } from "../../../../schema/values/go-print.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import type { Info } from "../../../resource/info.ts";
import { typedObject } from "../../../resource/typed-object.ts";
import { type DryRun, dryRunFlags, dryRunOf } from "../../shared/dry-run.ts";
import { filenameFlags, filenameQuery, requireFiles } from "../../shared/filename-flags.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { reconcileAccess } from "./reconcile-access.ts";
import type { AccessObject, Operation, Reconciliation, Subject } from "./reconcile-role.ts";

export const reconcileCommand = kubectlCommand({
  name: "reconcile",
  usage: "-f FILENAME",
  short:
    "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
  long: `Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects.

Objects that are missing are created, and so are their namespaces.

Roles that exist get the permissions of the files; with --remove-extra-permissions they lose all others.

Bindings that exist get the subjects of the files; with --remove-extra-subjects they lose all others.

Other than 'apply', this command knows what rules and subjects mean, and merges them.`,
  examples: `# Reconcile RBAC resources from a file
kubectl auth reconcile -f my-rbac-rules.yaml`,
  flags: {
    ...outputFlags,
    ...filenameFlags("identifying the resource to reconcile."),
    "remove-extra-permissions": boolFlag({
      usage: "If true, removes extra permissions added to roles",
    }),
    "remove-extra-subjects": boolFlag({
      usage: "If true, removes extra subjects added to rolebindings",
    }),
    ...dryRunFlags,
  },
  async run(context) {
    const { flags, args, factory } = context;
    requireFiles(flags);
    if (args.length > 0) throw new Error("no arguments are allowed");
    const dryRun = clientDryRun(context);
    const { namespace, isGiven } = await factory.namespace();
    const found = await findResources(context, {
      ...filenameQuery(flags),
      namespace,
      enforcesNamespace: isGiven,
      flattens: true,
      continuesOnError: true,
      isLocal: true,
    });
    const print = objectPrinter(context, { operation: "reconciled", dryRun, keepsOrder: true });
    const options = {
      isDryRun: dryRun === "client",
      removesRules: flags["remove-extra-permissions"],
      removesSubjects: flags["remove-extra-subjects"],
    };
    await found.visit(async (info, error) => {
      if (error) throw error;
      const expected = await expectedObject(info);
      if (!expected) return;
      const result = await reconcileAccess(context, expected, options);
      print(
        await typedObject({
          ...result.object,
          apiVersion: expected.apiVersion,
          kind: expected.kind,
        }),
      );
      context.io.stderr.write(resultText(result, options));
    });
    return undefined;
  },
});

function clientDryRun(context: CommandContext): DryRun {
  let dryRun: DryRun;
  try {
    dryRun = dryRunOf(context);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Error(`error accessing --dry-run flag for command reconcile: ${why}`, { cause });
  }
  if (dryRun === "server")
    throw new Error("--dry-run=server for command reconcile is not supported yet");
  return dryRun;
}

const kinds = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/** The object of a file, if it is one that is reconciled. */
async function expectedObject({ object, source }: Info): Promise<AccessObject | undefined> {
  if (!object) return undefined;
  const { group, version } = parseApiVersion(object.apiVersion ?? "");
  const isAccess = group === "rbac.authorization.k8s.io" && kinds.includes(object.kind);
  if (isAccess && ["v1beta1", "v1alpha1"].includes(version))
    throw new Error(
      `only rbac.authorization.k8s.io/v1 is supported: not *${version}.${object.kind}`,
    );
  const typed = await typedObject(object).catch((cause: Error) => {
    throw new Error(`unable to decode ${quote(source)}: ${cause.message}`, { cause });
  });
  return isAccess ? (typed as AccessObject) : undefined;
}

function resultText(
  { operation, isProtected, ...result }: Reconciliation,
  {
    removesRules,
    removesSubjects,
  }: { readonly removesRules: boolean; readonly removesSubjects: boolean },
): string {
  if (operation === "none") return "";
  const caveat = isProtected
    ? ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)"
    : "";
  return [
    `\treconciliation required ${operation satisfies Operation}${caveat}\n`,
    listText("missing subjects added", result.missingSubjects.map(subjectText)),
    removesSubjects
      ? listText("extra subjects removed", result.extraSubjects.map(subjectText))
      : "",
    listText("missing rules added", result.missingRules.map(ruleText)),
    removesRules ? listText("extra rules removed", result.extraRules.map(ruleText)) : "",
  ].join("");
}

const listText = (title: string, items: readonly string[]): string =>
  items.length === 0 ? "" : `\t${title}:\n${items.map((item) => `\t\t${item}\n`).join("")}`;

const subjectText = ({ kind = "", apiGroup = "", name = "", namespace = "" }: Subject): string =>
  `{Kind:${kind} APIGroup:${apiGroup} Name:${name} Namespace:${namespace}}`;

const ruleText = (rule: PolicyRule): string =>
  `{Verbs:${goString(rule.verbs ?? [])} APIGroups:${goString(rule.apiGroups ?? [])} Resources:${goString(rule.resources ?? [])} ResourceNames:${goString(rule.resourceNames ?? [])} NonResourceURLs:${goString(rule.nonResourceURLs ?? [])}}`;
