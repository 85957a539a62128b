export {
  type Kubectl,
  type KubectlConnection,
  type KubectlOptions,
  type KubectlResult,
  kubectl,
} from "../src/kubectl/kubectl.ts";
