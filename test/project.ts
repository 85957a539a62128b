export { mainFile, projectRoot, runScript } from "../scripts/project.mjs";
