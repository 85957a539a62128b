import type { ProjectNames } from "../project-names.ts";

/** The webhook of the kind. */
export const webhookFile = ({ group, kind, file, value }: ProjectNames): string =>
  `import { webhook } from "wherry/controller";
import { ${kind} } from "./${file}.ts";

/** Who created an object. */
export const createdBy = "${group}/created-by";
/** An object whose annotation is "true" cannot be deleted. */
export const protectedBy = "${group}/protected";

/**
 * What the declaration of the kind cannot say, because it depends on the caller or on more than one
 * object. Rules of one object belong there: the API server checks them without a call.
 */
export const ${value}Webhook = webhook({
  for: ${kind},
  default(draft, { operation, user }) {
    if (operation !== "CREATE") return;
    draft.metadata.annotations = { ...draft.metadata.annotations, [createdBy]: user.username ?? "" };
  },
  validate({ spec }, { warn }) {
    if (!/[:@][^/]*$/.test(spec.image)) warn("spec.image has no tag: pods may get any version");
  },
  validateDelete({ metadata }) {
    if (metadata.annotations?.[protectedBy] === "true")
      return \`the annotation \${protectedBy} protects it\`;
  },
});
`;
