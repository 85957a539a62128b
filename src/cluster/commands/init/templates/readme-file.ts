import type { ProjectNames } from "../project-names.ts";

/** What to know about the project. */
export const readmeFile = ({ name, kind, file, plural }: ProjectNames): string => `# ${name}

An operator for the custom kind ${kind}, written in TypeScript with [Wherry](https://www.npmjs.com/package/wherry). It
keeps a Deployment for each ${kind}; that is an example, to be replaced by what your operator is for.

| file | contents |
| --- | --- |
| \`src/${file}.ts\` | the kind: its fields, defaults, bounds and columns |
| \`src/${file}-controller.ts\` | the controller: what is done for an object |
| \`src/${file}-webhook.ts\` | the webhook: defaults and checks that depend on the caller |
| \`src/operator.test.ts\` | the tests: a whole cluster in the test's process, on a virtual clock |
| \`src/main.ts\`, \`Dockerfile\` | the program, and its image |
| \`manifests/\` | the definition of the kind, rights, the deployment, and a sample |

Node.js 22.18 or later runs the files as they are; nothing is compiled.

\`\`\`sh
npm install
npm test                # the tests, in seconds
npm run check           # the types
npm run manifests       # manifests/crd.yaml, again after each change of src/${file}.ts
\`\`\`

## Against a cluster

\`\`\`sh
npx wherry up           # a cluster on this machine; any other cluster works as well
kubectl apply -f manifests/crd.yaml
npm start               # the operator, in this terminal
\`\`\`

In another terminal:

\`\`\`sh
kubectl apply -f manifests/sample.yaml
kubectl get ${plural}
kubectl scale ${plural} blue --replicas=3
\`\`\`

Here the webhooks are called on this machine, which a cluster elsewhere does not reach.

## In a cluster

\`\`\`sh
docker build -t ${name}:dev .
docker save ${name}:dev | npx wherry image load --cluster wherry -
kubectl apply -f manifests/namespace.yaml -f manifests/crd.yaml -f manifests/rbac.yaml -f manifests/deployment.yaml
\`\`\`

The operator makes and renews the certificates of its webhooks itself. \`npx wherry crd check src/${file}.ts\` tells
whether a change of the kind breaks clients or stored objects.
`;
