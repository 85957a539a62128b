import { toYaml } from "../../../schema/yaml/yaml.ts";
import type { ProjectNames } from "./project-names.ts";
import { sampleDefinition } from "./sample-kind.ts";
import { controllerFile } from "./templates/controller-file.ts";
import { deploymentFile, namespaceFile } from "./templates/deployment-file.ts";
import { kindFile } from "./templates/kind-file.ts";
import { mainFile } from "./templates/main-file.ts";
import { dockerFile, ignoredFiles, packageFile, tsconfigFile } from "./templates/package-files.ts";
import { rbacFile } from "./templates/rbac-file.ts";
import { readmeFile } from "./templates/readme-file.ts";
import { sampleFile } from "./templates/sample-file.ts";
import { testFile } from "./templates/test-file.ts";
import { webhookFile } from "./templates/webhook-file.ts";

/** The files of a new project, by their paths; `wherry` is the version that it depends on. */
export function projectFiles(names: ProjectNames, wherry: string): ReadonlyMap<string, string> {
  const { file } = names;
  return new Map([
    ["README.md", readmeFile(names)],
    ["package.json", packageFile(names, wherry)],
    ["tsconfig.json", tsconfigFile()],
    ["Dockerfile", dockerFile()],
    [".dockerignore", ignoredFiles()],
    [".gitignore", ignoredFiles()],
    [`src/${file}.ts`, kindFile(names)],
    [`src/${file}-controller.ts`, controllerFile(names)],
    [`src/${file}-webhook.ts`, webhookFile(names)],
    ["src/main.ts", mainFile(names)],
    ["src/operator.test.ts", testFile(names)],
    ["manifests/namespace.yaml", namespaceFile(names)],
    ["manifests/crd.yaml", toYaml(sampleDefinition(names))],
    ["manifests/rbac.yaml", rbacFile(names)],
    ["manifests/deployment.yaml", deploymentFile(names)],
    ["manifests/sample.yaml", sampleFile(names)],
  ]);
}
