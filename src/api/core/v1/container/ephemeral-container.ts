import { inline, string } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { Container, setContainerDefaults } from "./container.ts";

export const EphemeralContainer = struct("io.k8s.api.core.v1.EphemeralContainer", {
  ...inline(1, Container),
  targetContainerName: string(2).doc("The container whose processes it sees."),
})
  .defaults(setContainerDefaults)
  .doc("A container that is added to a running pod, to look into it.");
export interface EphemeralContainer extends Infer<typeof EphemeralContainer> {}
