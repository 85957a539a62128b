import type { ProjectNames } from "../project-names.ts";

/** What npm knows of the project; `wherry` is the version of Wherry, or where it is. */
export const packageFile = ({ name, file }: ProjectNames, wherry: string): string =>
  `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      private: true,
      type: "module",
      engines: { node: ">=22.18" },
      scripts: {
        test: "vitest run",
        check: "tsc -p .",
        manifests: `wherry crd generate src/${file}.ts > manifests/crd.yaml`,
        start: "node src/main.ts",
      },
      dependencies: { wherry },
      devDependencies: { "@types/node": "^24.0.0", typescript: "^5.9.0", vitest: "^4.0.0" },
    },
    null,
    2,
  )}\n`;

/** The options of the compiler, which only checks: Node.js runs the files as they are. */
export const tsconfigFile = (): string => `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "lib": ["es2024", "esnext.disposable"],
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "noEmit": true,
    "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true
  },
  "include": ["src"]
}
`;

export const dockerFile = (): string => `FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json* ./
RUN npm install --omit=dev
COPY src ./src
USER 1000
ENTRYPOINT ["node", "src/main.ts"]
`;

export const ignoredFiles = (): string => "node_modules\n";
